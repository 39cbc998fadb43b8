#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/policy/policy.h"
#include "webhook/review/answer.h"
#include "webhook/review/review.h"

namespace rollcall::launch {
class Context;
}

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
  not_enforced,  ///< a denial that Enforcement let through, or of another project's kind where nobody asked for denials
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

/// A namespace with this label and this value has denials of other kinds than TrainingJob refused.
inline constexpr auto kEnforceLabel = "rollcall.dev/enforce";
inline constexpr auto kEnforceDeny = "deny";

/// What is known beside a review.
struct Beside {
  /// Whether denials of other kinds than TrainingJob refuse: their namespace is labelled so. They are warnings
  /// elsewhere.
  bool others_denied = false;
  /// Other objects of the cluster; nullptr = none are known.
  const launch::Context* context = nullptr;
};

/// Whether an object is one of ours, in which a denial refuses without any label.
bool is_training_job(const Review& review);

/// Whether rules are asked about this review at all: an object of a kind and version that is read, itself and not a
/// subresource, created or updated, and made by somebody. What a controller made of an object (a JobSet's Jobs, a
/// Job's pods) is not asked about: its maker was. What is not read, is admitted.
bool is_read(const Review& review);

/// The decision over one review. Rules are asked about every object that is read; the old object only takes findings
/// away: an update is refused for denials that the old object did not have (same rule, path and message). An object
/// whose launch did not change, or that was being deleted, is admitted. Pure; any thread.
Decision decide(const Review& review, const launch::Policy& policy, Enforcement enforcement, const Beside& beside = {});

}  // namespace rollcall::webhook
