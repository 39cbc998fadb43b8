#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/result.h"
#include "finding/forms.h"

namespace rollcall::cli {

inline constexpr const char* kForms[] = {"text", "json", "sarif", "junit", "github"};

/// One `--format FORM`, with the `--output FILE` that follows it.
struct Output {
  std::string form = "text";
  std::string file;  ///< empty = standard output
};

/// `--format` or `--output`, as they stand on the command line.
struct OutputFlag {
  bool is_file = false;
  std::string value;
};

/// Pairs each --output with the --format before it; without any, text to standard output. Two forms cannot share
/// standard output or a file.
Result<std::vector<Output>> paired(const std::vector<OutputFlag>& flags);

/// Writes every form. `least`: from which severity on a finding fails, for JUnit.
Status write_outputs(const std::vector<Output>& outputs, const LintOutcome& outcome, std::optional<Severity> least,
                     std::ostream& out);

/// Whether people read standard output.
bool shows_text(const std::vector<Output>& outputs);

}  // namespace rollcall::cli
