#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "api/rollcall_policy.h"
#include "base/result.h"
#include "finding/forms.h"

namespace rollcall::cli {

/// What `.rollcall.yaml` says.
struct Config {
  std::string file;
  api::RollcallPolicy policy;
};

/// The name that is looked for where none is given.
inline constexpr const char* kConfigName = ".rollcall.yaml";

/// `.rollcall.yaml` in `from` or the nearest folder above it, up to the repository's root (where .git is). Outside of a
/// repository only `from` itself counts: what lies above is somebody else's. nullopt = there is none.
std::optional<std::string> find_config(const std::filesystem::path& from);

/// Reads a config. An Error names file, line and column of everything that is wrong, one a line: a field or a rule that
/// is not known would change nothing, in silence.
Result<Config> read_config(const std::string& file);

/// Gives findings the severities of the config. What is "Off" moves to the suppressed ones, with the config as reason;
/// what is suppressed and not to be ignored moves back, and says so.
void apply_config(const Config& config, LintOutcome& outcome);

}  // namespace rollcall::cli
