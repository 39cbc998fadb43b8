#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/verb.h"

namespace rollcall::cli {

inline constexpr const char* kShells[] = {"bash", "zsh", "fish"};

/// The script that teaches a shell of kShells the verbs, their flags and what these take; made of the tables alone, so
/// that it runs nothing when it completes. `rules`: ids for what takes a rule. Needs no bash-completion.
std::string completion_script(std::string_view shell, std::span<const Verb> verbs,
                              const std::vector<std::string>& rules);

std::string bash_script(std::span<const Verb> verbs, const std::vector<std::string>& rules);
std::string zsh_script(std::span<const Verb> verbs, const std::vector<std::string>& rules);
std::string fish_script(std::span<const Verb> verbs, const std::vector<std::string>& rules);

/// `-n,--namespace` → `-n`, `--namespace`.
std::vector<std::string> spellings(const Flag& flag);
/// What a flag's value can be, parted by blanks; empty where that is anybody's.
std::string choices_of(const Flag& flag, const std::vector<std::string>& rules);
/// In single quotes for a shell of the Bourne family, where `'` becomes `'\''`.
std::string shell_quoted(std::string_view text);

}  // namespace rollcall::cli
