#include <algorithm>

#include "api/names.h"
#include "operator/conditions.h"
#include "operator/job_status.h"
#include "operator/look.h"
#include "operator/next_attempt.h"

namespace rollcall::operator_ {

namespace names = api::names;
using api::EndReason;
using std::chrono::milliseconds;

void Look::without_roll_call() {
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

bool Look::given_up_before_the_roster() {
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

bool Look::place_taken(int rank) {
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
                       std::to_string(pod->attempt) + " to be gone" + (pod->node.empty() ? "" : " from " + pod->node) +
                       ".");
    return true;
  }
  return false;
}

void Look::wait_for(const PodFacts& pod, std::string words) {
  // Past its deletion time a pod waits for its kubelet alone.
  if (pod.deleting_since && now_ > *pod.deleting_since + std::chrono::seconds(30)) {
    words += " It should have gone " + duration_words(now_ - *pod.deleting_since) + " ago: is node " + pod.node +
             " lost? A finalizer of the pod holds it, too.";
  }
  d_.status.message = words;
  if (pod.deleting_since)
    look_again(std::max(now_ + std::chrono::seconds(15), *pod.deleting_since + std::chrono::seconds(31)));
}

void Look::create_missing_pods() {
  bool asked = !view_.pods.empty();
  for (int rank = 0; rank < view_.nnodes; ++rank) {
    if (view_.pods.contains(rank) || place_taken(rank)) continue;
    if (!asked) act(DryRunPod{rank});
    asked = true;
    act(CreatePod{rank});
  }
}

void Look::write_roster() {
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
  spec.rdma_resource = d_.plan.rdma_resource;
  spec.partial_environment = d_.plan.partial_environment;
  spec.settings = o_.job.spec.roll_call;
  spec.settings.mode = mode();
  spec.thresholds = o_.policy.thresholds;
  spec.master_addr = o_.job.spec.master_addr;
  for (const auto& [rank, pod] : view_.pods) spec.roster.push_back({rank, pod->name, pod->uid});
  d_.events.push_back({"Normal", "Called",
                       "Attempt " + std::to_string(view_.attempt) + " calls " + std::to_string(view_.nnodes) +
                           (view_.nnodes == 1 ? " node" : " nodes") + " (RollCall " +
                           api::roll_call_name(o_.job.meta.name, view_.attempt) + ")" +
                           (o_.policy.mode && mode() != o_.job.spec.roll_call.mode
                                ? " in mode " + std::string(to_string(mode())) + " by " + mode_source()
                                : std::string())});
  act(CreateRollCall{std::move(spec)});
}

}  // namespace rollcall::operator_
