#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/policy/policy.h"
#include "webhook/review/answer.h"
#include "webhook/review/review.h"

namespace rollcall::webhook {

/// What a denial does, cluster-wide: for bringing Rollcall into a cluster in steps.
enum class Enforcement : std::uint8_t {
  deny,    ///< refuses
  warn,    ///< is shown as a warning, and the object admitted
  dryrun,  ///< stands in metrics and audit alone: nobody is told
};
std::string_view to_string(Enforcement enforcement);

/// What became of one finding.
enum class Outcome : std::uint8_t {
  denied,
  warned,
  noted,         ///< info: shown by lint, not here
  not_enforced,  ///< a denial that Enforcement let through
  before,        ///< a denial that the old object had too
  deleting,      ///< a denial of an object that is being deleted
  ignored,       ///< by the object's annotation
  off,           ///< by a RollcallPolicy
};
std::string_view to_string(Outcome outcome);

struct Decision {
  Answer answer;
  std::vector<std::pair<std::string, Outcome>> findings;  ///< rule and what became of it
};

/// Whether rules are asked about this review at all: a TrainingJob itself, created or updated. What is not, is
/// admitted.
bool is_read(const Review& review);

/// The decision over one review. Rules are asked about every TrainingJob that is created or updated; the old object
/// only takes findings away: an update is refused for denials that the old object did not have (same rule, path and
/// message). An object whose launch did not change, or that was being deleted, is admitted. Pure; any thread.
Decision decide(const Review& review, const launch::Policy& policy, Enforcement enforcement);

}  // namespace rollcall::webhook
