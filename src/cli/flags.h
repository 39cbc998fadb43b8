#pragma once

#include <span>
#include <string>

/// The flags of every verb as tables: what the command line is declared from, and what completions are made of.
namespace rollcall::cli {

/// What a flag's value is, for a shell that completes it.
enum class Takes { nothing, text, number, file, folder, choice, rule };

struct Flag {
  const char* names;  ///< as CLI11 takes them: `-n,--namespace`; an argument without a flag has no hyphen
  const char* help;   ///< one sentence without a full stop
  Takes takes = Takes::nothing;
  const char* value = "";                     ///< how help calls the value: `FILE`
  std::span<const char* const> choices = {};  ///< with Takes::choice
  bool repeats = false;
  bool required = false;

  bool is_argument() const { return names[0] != '-'; }
};

}  // namespace rollcall::cli
