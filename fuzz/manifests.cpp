#include "finding/finding.h"
#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "launch/check.h"

// YAML and JSON as `rollcall lint` is given it: findings, or an error with words.
namespace rollcall::fuzz {

void fuzz_manifests(std::string_view bytes) {
  const auto findings = launch::check_text(bytes, "fuzz.yaml");
  if (!findings) {
    must(findings.error().message.find("fuzz.yaml") == 0, "an error names the file");
    return;
  }
  for (const Finding& finding : *findings) must(!terminal_line(finding).empty(), "a finding can be said");
}

}  // namespace rollcall::fuzz

ROLLCALL_FUZZ_TARGET(manifests);
