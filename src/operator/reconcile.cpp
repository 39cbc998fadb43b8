#include "operator/reconcile.h"

#include <algorithm>

#include "api/names.h"
#include "launch/check.h"
#include "operator/after_release.h"
#include "operator/conditions.h"
#include "operator/job_status.h"
#include "operator/job_view.h"
#include "operator/next_attempt.h"

namespace rollcall::operator_ {

namespace names = api::names;
using api::EndReason;
using std::chrono::milliseconds;

namespace {

// RollCalls of a job that stay: enough to see whether the same node ends attempt after attempt.
constexpr int kRollCallsKept = 5;

milliseconds until(WallTime then, WallTime now) { return std::max(then - now, milliseconds(10)); }

/// One look at one job. Each step either decides (returns true) or leaves the rest to the next.
class Look {
 public:
  Look(const Observed& observed, WallTime now) : o_(observed), now_(now), view_(view_of(observed)) {
    d_.status = observed.job.status;
    d_.status.observed_generation = observed.job.meta.generation;
    d_.attempt = view_.attempt;
  }

  Decision take() && {
    if (!o_.job.meta.deletion_timestamp.empty()) {
      end_for(EndReason::JobDeleted, "The job was deleted.");
      return std::move(d_);
    }
    if (finished(d_.status)) {
      tidy_after_the_end();
      return std::move(d_);
    }
    remove_strays();
    note_suspension();
    if (planned()) {
      if (view_.roll_call == nullptr) {
        without_roll_call();
      } else if (const auto ending = ending_of(*view_.roll_call, now_)) {
        end_attempt(o_, view_.attempt, *ending, now_, d_);
        consume_release_if_obeyed();
        if (o_.job.spec.suspend && !finished(d_.status)) show_suspended();
      } else if (!view_.roll_call->status.verdict) {
        while_called();
      } else {
        after_release();
      }
    }
    return std::move(d_);
  }

 private:
  // ---- any time
  void act(Action action) { d_.actions.push_back(std::move(action)); }
  void look_again(WallTime then) {
    const auto delay = until(then, now_);
    if (!d_.look_again || delay < *d_.look_again) d_.look_again = delay;
  }

  void fail(const char* why, const std::string& message) {
    d_.status.phase = to_string(api::Phase::Failed);
    d_.status.message = message;
    d_.status.held_since.clear();
    d_.status.completion_time = rfc3339(now_);
    set_condition(d_.status, "Failed", true, why, message, now_);
  }

  bool planned() {
    auto plan = launch::plan_of(o_.job);
    if (plan) {
      d_.plan = std::move(plan.value());
      return true;
    }
    if (refused_by_rules()) return false;
    fail(reason::kRefusedByRules, plan.error().message);
    return false;
  }

  /// The rules that `rollcall lint` runs, in the same words.
  bool refused_by_rules() {
    const auto findings = launch::check_object(o_.object);
    std::string words;
    for (const auto& finding : findings) {
      if (finding.severity == Severity::deny) words += (words.empty() ? "" : " ") + sentence(finding);
    }
    if (words.empty()) return false;
    fail(reason::kRefusedByRules, words);
    return true;
  }

  /// Pods of ours that stand in no place: of a former attempt, or under our name but in no roster.
  void remove_strays() {
    for (const auto* pod : view_.others) {
      if (!pod->deleting) act(DeletePod{pod->name, pod->uid});
    }
    const auto& kept = view_.own_roll_calls;
    for (const auto* roll_call : kept) {
      if (roll_call->spec.attempt <= view_.attempt - kRollCallsKept)
        act(DeleteRollCall{roll_call->meta.name, roll_call->meta.uid});
    }
  }

  void note_suspension() {
    if (o_.job.spec.suspend) {
      set_condition(d_.status, "Suspended", true, reason::kSuspended, "spec.suspend is true", now_);
    } else if (condition(d_.status, "Suspended") != nullptr) {
      set_condition(d_.status, "Suspended", false, reason::kResumed, "", now_);
    }
  }

  void show_suspended() {
    d_.status.phase = to_string(api::Phase::Suspended);
    d_.status.next_attempt_at.clear();
    d_.status.message = "Suspended by spec.suspend; no pods and no GPUs are held.";
    d_.look_again.reset();
  }

  /// Ends the current attempt before its release, once.
  void end_for(EndReason why, const std::string& message,
               std::vector<std::pair<std::string, std::string>> unless_alive = {}) {
    const auto* roll_call = view_.roll_call;
    if (roll_call == nullptr || ending_of(*roll_call, now_)) return;
    if (roll_call->status.verdict) {
      act(WriteEnd{roll_call->meta.name, roll_call->meta.uid, {why, message, rfc3339(now_)}, std::move(unless_alive)});
    } else {
      act(WriteVerdict{roll_call->meta.name,
                       roll_call->meta.uid,
                       {api::VerdictKind::Ended, why, message, rfc3339(now_), "operator", false},
                       std::move(unless_alive)});
    }
  }

  // ---- before the roster is written
  void without_roll_call() {
    if (o_.job.spec.suspend) {
      // Pods without a RollCall have no verdict to end by; moving on makes them strays.
      if (!view_.pods.empty()) d_.status.attempt = view_.attempt + 1;
      d_.status.nodes.clear();
      show_suspended();
      return;
    }
    if (const auto next = rfc3339_from(d_.status.next_attempt_at); next && *next > now_) {
      look_again(*next);
      return;  // the message of the former attempt's end stands
    }
    if (view_.pods.empty() && refused_by_rules()) return;
    if (!o_.probe) {
      describe_gathering(view_, d_.plan.nproc_per_node, now_, d_.status);
      d_.status.message = o_.probe_missing;
      set_condition(d_.status, "RollCallPassed", false, reason::kDeskMissing, o_.probe_missing, now_);
      d_.look_again = milliseconds(5000);
      return;
    }
    if (const auto pod = launch::make_pod(o_.job, d_.plan, 0, view_.attempt, *o_.probe); !pod) {
      fail(reason::kInvalidPod, pod.error().message);
      return;
    }
    if (d_.status.start_time.empty()) d_.status.start_time = rfc3339(now_);
    d_.status.attempt = view_.attempt;
    d_.status.next_attempt_at.clear();
    if (given_up_before_the_roster()) return;
    describe_gathering(view_, d_.plan.nproc_per_node, now_, d_.status);
    create_missing_pods();
    if (static_cast<int>(view_.pods.size()) == view_.nnodes) write_roster();
  }

  /// A pod that is dead, or the first scheduled one having waited too long, while not even all are created. No RollCall
  /// exists, so nobody else could give a verdict: the write of the status is the compare-and-swap.
  bool given_up_before_the_roster() {
    std::optional<WallTime> first;
    for (const auto& [rank, pod] : view_.pods) {
      if (pod->deleting || pod->finished()) {
        end_attempt(o_, view_.attempt,
                    {EndReason::PodLost,
                     place_words(rank, d_.plan.nproc_per_node, pod->node) + ", pod " + pod->name +
                         " was lost before all pods were created.",
                     now_},
                    now_, d_);
        return true;
      }
      if (pod->scheduled_at && (!first || *pod->scheduled_at < *first)) first = pod->scheduled_at;
    }
    if (!first || static_cast<int>(view_.pods.size()) == view_.nnodes) return false;
    const auto deadline = *first + std::chrono::seconds(o_.job.spec.roll_call.wait_for_pods_seconds);
    if (now_ < deadline) {
      look_again(deadline);
      return false;
    }
    const auto words = o_.job.status.message;
    end_attempt(
        o_, view_.attempt,
        {EndReason::PodsNotStarted,
         std::to_string(view_.pods.size()) + " of " + std::to_string(view_.nnodes) + " pods could be created within " +
             duration_words(std::chrono::seconds(o_.job.spec.roll_call.wait_for_pods_seconds)) +
             " of the first being scheduled. Nothing was started. Last: " + words,
         now_},
        now_, d_);
    return true;
  }

  /// Whether the place of `rank` is still taken: by a pod of a former attempt (any of them on the host network, where
  /// the next one would find its ports in use), or by somebody else's.
  bool place_taken(int rank) {
    const auto name = launch::pod_name(o_.job.meta.name, rank, view_.attempt);
    for (const auto* pod : view_.foreign) {
      if (pod->name != name) continue;
      if (pod->owner_kind == "TrainingJob" && pod->owner_name == o_.job.meta.name) {
        wait_for(*pod, "Waiting for pod " + pod->name + " of a former job of this name to be gone.");
      } else {
        const auto words = "A pod named " + name + " exists and is not this job's. Delete it (kubectl delete pod -n " +
                           o_.job.meta.namespace_name + " " + name + ") or give the job another name.";
        d_.status.message = words;
        set_condition(d_.status, "RollCallPassed", false, reason::kPodNameTaken, words, now_);
      }
      return true;
    }
    for (const auto* pod : view_.others) {
      if (pod->node_rank != rank && !d_.plan.host_network) continue;
      wait_for(*pod, "Attempt " + std::to_string(view_.attempt) + " waits for pod " + pod->name + " of attempt " +
                         std::to_string(pod->attempt) + " to be gone" +
                         (pod->node.empty() ? "" : " from " + pod->node) + ".");
      return true;
    }
    return false;
  }

  void wait_for(const PodFacts& pod, std::string words) {
    // Past its deletion time a pod waits for its kubelet alone.
    if (pod.deleting_since && now_ > *pod.deleting_since + std::chrono::seconds(30)) {
      words +=
          " It should have gone " + duration_words(now_ - *pod.deleting_since) + " ago: is node " + pod.node + " lost?";
    }
    d_.status.message = words;
    if (pod.deleting_since)
      look_again(std::max(now_ + std::chrono::seconds(15), *pod.deleting_since + std::chrono::seconds(31)));
  }

  void create_missing_pods() {
    bool asked = !view_.pods.empty();
    for (int rank = 0; rank < view_.nnodes; ++rank) {
      if (view_.pods.contains(rank) || place_taken(rank)) continue;
      if (!asked) act(DryRunPod{rank});
      asked = true;
      act(CreatePod{rank});
    }
  }

  void write_roster() {
    if (view_.foreign_roll_call != nullptr) {
      d_.status.message =
          "RollCall " + view_.foreign_roll_call->meta.name +
          " exists and is not this job's (a former job of this name, most likely); waiting for it to be gone.";
      d_.look_again = milliseconds(2000);
      return;
    }
    api::RollCallSpec spec;
    spec.job = {names::kApiVersion, "TrainingJob", o_.job.meta.name, o_.job.meta.uid};
    spec.attempt = view_.attempt;
    spec.nproc_per_node = d_.plan.nproc_per_node;
    spec.master_port = o_.job.spec.port;
    spec.host_network = d_.plan.host_network;
    spec.gpus_per_pod = d_.plan.gpus_per_pod;
    spec.gpu_resource = d_.plan.gpu_resource;
    spec.settings = o_.job.spec.roll_call;
    spec.master_addr = o_.job.spec.master_addr;
    for (const auto& [rank, pod] : view_.pods) spec.roster.push_back({rank, pod->name, pod->uid});
    d_.events.push_back({"Normal", "Called",
                         "Attempt " + std::to_string(view_.attempt) + " calls " + std::to_string(view_.nnodes) +
                             (view_.nnodes == 1 ? " node" : " nodes") + " (RollCall " +
                             api::roll_call_name(o_.job.meta.name, view_.attempt) + ")"});
    act(CreateRollCall{std::move(spec)});
  }

  // ---- between roster and verdict
  void while_called() {
    describe_roll_call(view_, now_, d_.status);
    if (o_.job.spec.suspend) {
      end_for(EndReason::Suspended, "Suspended by spec.suspend.");
      return;
    }
    if (auto lost = lost_before_release(view_, now_)) {
      end_for(lost->ending.reason, lost->ending.message, std::move(lost->gone));
      return;
    }
    hand_over_address();
    pass_on_mode();
    pass_on_release();
  }

  void hand_over_address() {
    const auto& address = view_.roll_call->status.master_addr;
    if (address.empty()) return;
    const auto attempt = std::to_string(view_.attempt);
    for (const auto& [rank, pod] : view_.pods) {
      if (pod->deleting || (pod->master_addr == address && pod->seen_attempt == attempt)) continue;
      act(AnnotatePod{
          pod->name, pod->uid, {{names::kAnnotationMasterAddr, address}, {names::kAnnotationAttempt, attempt}}});
    }
  }

  std::string annotation_of_roll_call(const char* key) const {
    const auto& annotations = view_.roll_call->meta.annotations;
    const auto at = annotations.find(key);
    return at == annotations.end() ? "" : at->second;
  }
  void annotate_roll_call(const char* key, const std::string& value) {
    act(AnnotateRollCall{view_.roll_call->meta.name, view_.roll_call->meta.uid, key, value});
  }

  void pass_on_mode() {
    const std::string wanted(to_string(o_.job.spec.roll_call.mode));
    auto told = annotation_of_roll_call(names::kAnnotationMode);
    if (told.empty()) told = to_string(view_.roll_call->spec.settings.mode);
    if (told != wanted) annotate_roll_call(names::kAnnotationMode, wanted);
  }

  std::optional<std::string> release_asked() const {
    const auto& annotations = o_.job.meta.annotations;
    const auto at = annotations.find(names::kAnnotationRelease);
    if (at == annotations.end()) return std::nullopt;
    return at->second.empty() ? "no reason given" : at->second;
  }

  /// A former attempt that obeyed this very annotation has consumed it; only the removal is still owed.
  bool consumed_before() const {
    const auto asked = release_asked();
    return std::any_of(view_.own_roll_calls.begin(), view_.own_roll_calls.end(), [&](const auto* roll_call) {
      const auto& annotations = roll_call->meta.annotations;
      const auto at = annotations.find(names::kAnnotationOverride);
      return roll_call->spec.attempt < view_.attempt && at != annotations.end() && at->second == asked;
    });
  }

  void pass_on_release() {
    const auto asked = release_asked();
    if (!asked) return;
    if (!consumed_before() && annotation_of_roll_call(names::kAnnotationOverride).empty()) {
      annotate_roll_call(names::kAnnotationOverride, *asked);
    }
    act(ConsumeRelease{o_.job.meta.annotations.at(names::kAnnotationRelease)});
  }

  void consume_release_if_obeyed() {
    const auto asked = release_asked();
    if (asked && annotation_of_roll_call(names::kAnnotationOverride) == *asked) {
      act(ConsumeRelease{o_.job.meta.annotations.at(names::kAnnotationRelease)});
    }
  }

  // ---- after the verdict Released
  void after_release() {
    if (release_asked()) act(ConsumeRelease{o_.job.meta.annotations.at(names::kAnnotationRelease)});
    hand_over_address();
    const auto attempt = std::to_string(view_.attempt);
    for (const auto& [rank, pod] : view_.pods) {
      if (pod->deleting || pod->finished() || pod->released_attempt == attempt) continue;
      act(AnnotatePod{pod->name, pod->uid, {{names::kAnnotationReleased, attempt}}});
    }
    const auto course = course_of(view_, d_.plan.trainer, now_);
    if (const auto* training = std::get_if<Training>(&course)) {
      describe_training(view_, d_.plan.trainer, *training, now_, d_.status);
      if (training->look_again) look_again(*training->look_again);
      if (o_.job.spec.suspend) end_for(EndReason::Suspended, "Suspended by spec.suspend.");
      return;
    }
    describe_training(view_, d_.plan.trainer, Training{}, now_, d_.status);
    if (std::holds_alternative<AllSucceeded>(course)) {
      complete();
    } else if (const auto* failure = std::get_if<TrainerFailed>(&course)) {
      fail(reason::kTrainerFailed, failure->message);
    } else if (const auto* lost = std::get_if<AttemptLost>(&course)) {
      end_for(lost->ending.reason, lost->ending.message, lost->gone);
    }
  }

  void complete() {
    const auto released = rfc3339_from(view_.roll_call->status.verdict->at).value_or(now_);
    d_.status.phase = to_string(api::Phase::Succeeded);
    d_.status.message = (view_.nnodes == 1 ? "The trainer" : "All " + std::to_string(view_.nnodes) + " trainers") +
                        std::string(" ended with exit code 0, ") + duration_words(now_ - released) +
                        " after the release.";
    d_.status.completion_time = rfc3339(now_);
    set_condition(d_.status, "Complete", true, reason::kTrainersSucceeded, d_.status.message, now_);
  }

  // ---- Complete or Failed
  /// What still runs is ended, so that logs stay and places are free; the RollCall tells that it is over.
  void tidy_after_the_end() {
    for (const auto& pod : o_.pods) {
      if (pod.owner_uid != o_.job.meta.uid || pod.deleting || pod.finished()) continue;
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

  const Observed& o_;
  const WallTime now_;
  const JobView view_;
  Decision d_;
};

}  // namespace

Decision reconcile(const Observed& observed, WallTime now) { return Look(observed, now).take(); }

}  // namespace rollcall::operator_
