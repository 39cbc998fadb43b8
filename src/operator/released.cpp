#include <algorithm>

#include "api/names.h"
#include "operator/after_release.h"
#include "operator/conditions.h"
#include "operator/job_status.h"
#include "operator/look.h"
#include "operator/next_attempt.h"
#include "operator/node_ranks.h"

namespace rollcall::operator_ {

namespace names = api::names;
using api::EndReason;

namespace {

/// Every container has ended, though the phase does not say so yet: a deadline would turn a success into
/// DeadlineExceeded.
bool has_ended(const PodFacts& pod) {
  return pod.finished() || (!pod.containers.empty() &&
                            std::all_of(pod.containers.begin(), pod.containers.end(), [](const auto& container) {
                              return container.phase == ContainerPhase::Terminated;
                            }));
}

}  // namespace

void Look::after_release() {
  if (release_asked()) act(ConsumeRelease{o_.job.meta.annotations.at(names::kAnnotationRelease)});
  hand_over_address();
  const auto attempt = std::to_string(view_.attempt);
  for (const auto& [rank, pod] : view_.pods) {
    if (pod->deleting || pod->finished() || pod->released_attempt == attempt) continue;
    act(AnnotatePod{pod->name, pod->uid, {{names::kAnnotationReleased, attempt}}});
  }
  const auto course = course_of(view_, d_.plan.trainer, now_);
  const auto* training = std::get_if<Training>(&course);
  describe_training(view_, d_.plan.trainer, training != nullptr ? *training : Training{}, now_, d_.status);
  d_.status.succeeded = node_ranks_text(succeeded_ranks(view_, d_.plan.trainer));
  if (training != nullptr && training->look_again) look_again(*training->look_again);
  // First what the trainers say: their exits are the job's end. Then what a person wants. A suspension that meets a
  // lost pod spends no retry.
  if (std::holds_alternative<AllSucceeded>(course)) {
    complete();
  } else if (const auto* failure = std::get_if<TrainerFailed>(&course)) {
    fail(reason::kTrainerFailed, failure->message);
  } else if (o_.job.spec.suspend) {
    end_for(EndReason::Suspended, "Suspended by spec.suspend.");
  } else if (past_deadline()) {
    return;
  } else if (const auto* lost = std::get_if<AttemptLost>(&course)) {
    end_for(lost->ending.reason, lost->ending.message, lost->gone);
  }
}

void Look::complete() {
  const auto released = rfc3339_from(view_.roll_call->status.verdict->at).value_or(now_);
  d_.status.phase = to_string(api::Phase::Succeeded);
  d_.status.message = (view_.nnodes == 1 ? "The trainer" : "All " + std::to_string(view_.nnodes) + " trainers") +
                      std::string(" ended with exit code 0, ") + duration_words(now_ - released) +
                      " after the release.";
  d_.status.completion_time = rfc3339(now_);
  set_condition(d_.status, "Complete", true, reason::kTrainersSucceeded, d_.status.message, now_);
}

void Look::tidy_after_the_end() {
  for (const auto& pod : o_.pods) {
    if (pod.owner_uid != o_.job.meta.uid || pod.deleting || has_ended(pod)) continue;
    if (pod.node.empty()) {
      act(DeletePod{pod.name, pod.uid});  // no kubelet is there to count its deadline, and no log to keep
    } else if (pod.active_deadline_seconds != 1) {
      act(EndPod{pod.name, pod.uid});
    }
  }
  if (view_.roll_call != nullptr && !ending_of(*view_.roll_call, now_)) {
    end_for(EndReason::JobFinished, d_.status.message);
  }
}

}  // namespace rollcall::operator_
