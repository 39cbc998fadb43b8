#pragma once

#include "operator/after_release.h"
#include "operator/decision.h"
#include "operator/job_view.h"

namespace rollcall::operator_ {

/// While there is no roster yet: who is missing, in the scheduler's and kubelet's words.
void describe_gathering(const JobView& view, int nproc_per_node, WallTime now, api::TrainingJobStatus& status);

/// While the roll is called: what the desk says, or, until it speaks, what pods are waited for.
void describe_roll_call(const JobView& view, WallTime now, api::TrainingJobStatus& status);

/// After the verdict Released.
void describe_training(const JobView& view, const std::string& trainer, const Training& training, WallTime now,
                       api::TrainingJobStatus& status);

/// The lines of status.nodes after the release; above 64 nodes the 50 that need attention.
std::vector<api::NodeLine> training_lines(const JobView& view, const std::string& trainer);

/// What a person should hear when the status goes from `before` to `after`: held, released, overridden, refused,
/// failed, complete. Ends of attempts and calls are told where they are decided.
std::vector<Event> events_between(const api::TrainingJobStatus& before, const api::TrainingJobStatus& after);

/// Whether only words, counts and node lines differ: such a write can wait, a phase, a condition or a trainer's success
/// cannot.
bool only_details_differ(const api::TrainingJobStatus& before, const api::TrainingJobStatus& after);

}  // namespace rollcall::operator_
