#pragma once

#include <span>
#include <string>
#include <string_view>

#include "launch/rules/rule.h"

/// The rules' documentation, made of their table: one page a rule and one that lists them. Pure.
namespace rollcall::launch {

/// `docs/rules/FAMILY/NAME.md` of a rule, as Markdown. `wrong` and `right` are its two examples, whole manifests; what
/// the page shows as the finding is what the rules say of `wrong`. A text that cannot be read shows as such, so that
/// the catalogue's test fails and not the reader.
std::string page_of(const Rule& rule, std::string_view wrong, std::string_view right);

/// `docs/rules/README.md`: every rule by family.
std::string index_of(std::span<const Rule* const> rules);

/// Where a rule's page stands below docs/: `rules/gpu/more-processes-than-gpus.md`.
std::string page_path(const Rule& rule);

/// The kinds a rule asks about, as a sentence's part: "every kind", "TrainingJob", "PyTorchJob, JobSet".
std::string kinds_of(const Rule& rule);

}  // namespace rollcall::launch
