#include "operator/after_release.h"

#include <algorithm>

namespace rollcall::operator_ {
namespace {

const PodFacts* pod_at(const JobView& view, int node_rank) {
  const auto found = view.pods.find(node_rank);
  return found == view.pods.end() ? nullptr : found->second;
}

std::string place(const JobView& view, const PodFacts* pod, const api::RosterEntry& entry) {
  const auto node = pod == nullptr ? std::string() : pod->node;
  return place_words(entry.node_rank, view.roll_call->spec.nproc_per_node, node) + ", pod " + entry.pod;
}

/// The end of a container in words: "trainer was killed for memory (OOMKilled, exit code 137)".
std::string exit_words(const ContainerFacts& container) {
  auto words = container.name;
  if (container.reason == "OOMKilled") {
    words += " was killed for memory (OOMKilled, exit code " + std::to_string(container.exit_code) +
             "): its memory limit, or the node's memory, was used up";
  } else {
    words += " ended with exit code " + std::to_string(container.exit_code);
    if (!container.reason.empty() && container.reason != "Error") words += " (" + container.reason + ")";
  }
  // The kubelet keeps up to 4,096 bytes; one line of it belongs in a sentence.
  if (auto message = container.message; !message.empty()) {
    message = message.substr(0, message.find('\n'));
    words += ": " + message.substr(0, 300);
  }
  return words;
}

/// The template's own activeDeadlineSeconds: the kubelet ends the pod whatever its trainer does.
std::string deadline_words(const PodFacts& pod) {
  return "activeDeadlineSeconds of the template" +
         (pod.active_deadline_seconds ? " (" + std::to_string(*pod.active_deadline_seconds) + ")" : std::string()) +
         " ended the pod" + (pod.message.empty() ? "" : ": " + pod.message);
}

/// Why a pod that should stand does not; empty when it stands.
std::string loss_words(const PodFacts* pod) {
  if (pod == nullptr) return "is gone: somebody or something deleted it";
  const auto with_message = [pod](std::string words) {
    return pod->message.empty() ? words : words + ": " + pod->message;
  };
  if (pod->deleting) return pod->disrupted ? with_message("is being deleted") : "is being deleted";
  if (pod->disrupted)
    return with_message("was taken from its node" + (pod->reason.empty() ? "" : " (" + pod->reason + ")"));
  // The kubelet's and the node controller's own words for a pod they ended.
  for (const char* taken : {"Evicted", "NodeLost", "Preempting", "NodeShutdown", "Terminated"}) {
    if (pod->reason == taken) return with_message("was taken from its node (" + pod->reason + ")");
  }
  return "";
}

/// The same after the release, when a pod can also fail without its trainer having had a say.
std::string loss_words(const PodFacts* pod, const ContainerFacts* trainer) {
  auto words = loss_words(pod);
  if (!words.empty()) return words;
  if (trainer != nullptr && trainer->reason == "ContainerStatusUnknown") {
    return "lost its containers: the kubelet does not know how they ended (the node was restarted, or its sandbox is "
           "gone)";
  }
  const bool ended = trainer != nullptr && trainer->phase == ContainerPhase::Terminated;
  if (pod->phase == "Failed" && !ended && pod->reason != "DeadlineExceeded") {
    return "failed before its trainer ran" + (pod->reason.empty() ? "" : " (" + pod->reason + ")") +
           (pod->message.empty() ? "" : ": " + pod->message);
  }
  return "";
}

AttemptLost lost(api::EndReason reason, std::string message, const api::RosterEntry& entry, bool gone, WallTime now) {
  AttemptLost course{{reason, std::move(message), now}, {}};
  if (gone) course.gone.emplace_back(entry.pod, entry.uid);
  return course;
}

bool started(const ContainerFacts* trainer) { return trainer != nullptr && trainer->phase != ContainerPhase::Waiting; }

/// Whether an image of this pod may still be coming: a container up to the trainer whose image is not known yet, or
/// whose pull the kubelet complains of. The probe has the trainer's image, so the trainer's own is there unless it is
/// pulled Always.
bool may_be_pulling(const PodFacts& pod, const std::string& trainer) {
  for (const auto& container : pod.containers) {
    if (container.phase == ContainerPhase::Waiting &&
        (container.reason == "ErrImagePull" || container.reason == "ImagePullBackOff")) {
      return true;
    }
    if (container.name == trainer) return false;
    if (container.phase == ContainerPhase::Waiting && container.image_id.empty()) return true;
  }
  return false;
}

/// Exit code 0, and not because the pod is being deleted: a trainer that ends in order when it is told to has not
/// trained to its end. In the same second it cannot be told; a retry too many is better than a job that waits for ever.
bool ended_well(const PodFacts& pod, const ContainerFacts* trainer) {
  if (trainer == nullptr || trainer->phase != ContainerPhase::Terminated || trainer->exit_code != 0) return false;
  if (!pod.deleting) return true;
  return trainer->finished_at && pod.deletion_asked_at && *trainer->finished_at < *pod.deletion_asked_at;
}

/// The trainer that ended badly first is the cause, the others mostly follow it.
std::optional<TrainerFailed> first_failure(const JobView& view, const std::string& trainer) {
  std::optional<TrainerFailed> failure;
  WallTime earliest = WallTime::max();
  int others = -1;
  for (const auto& entry : view.roll_call->spec.roster) {
    if (view.succeeded.contains(entry.node_rank)) continue;
    const auto* pod = pod_at(view, entry.node_rank);
    const auto* container = pod == nullptr ? nullptr : pod->container(trainer);
    const bool bad_exit =
        container != nullptr && container->phase == ContainerPhase::Terminated && container->exit_code != 0;
    const bool dead_pod = pod != nullptr && pod->phase == "Failed" && pod->reason == "DeadlineExceeded";
    if (!bad_exit && !dead_pod) continue;
    ++others;
    const auto at = bad_exit ? container->finished_at.value_or(WallTime::max() - std::chrono::hours(1))
                             : WallTime::max() - std::chrono::minutes(1);
    if (failure && at >= earliest) continue;
    earliest = at;
    const auto words = dead_pod ? deadline_words(*pod) : exit_words(*container);
    failure = TrainerFailed{entry.node_rank, with_stop(place(view, pod, entry) + ": " + words)};
  }
  if (failure && others > 0) {
    failure->message +=
        " " + std::to_string(others) + (others == 1 ? " other trainer" : " other trainers") + " ended badly after it.";
  }
  if (failure)
    failure->message += " Its log: kubectl logs -n " + view.roll_call->meta.namespace_name + " " +
                        view.roll_call->spec.roster[static_cast<std::size_t>(failure->node_rank)].pod + " -c " +
                        trainer;
  return failure;
}

}  // namespace

std::optional<AttemptLost> lost_before_release(const JobView& view, WallTime now) {
  for (const auto& entry : view.roll_call->spec.roster) {
    const auto* pod = pod_at(view, entry.node_rank);
    const bool right = pod != nullptr && pod->uid == entry.uid;
    auto words = loss_words(right ? pod : nullptr);
    if (words.empty() && pod->finished()) {
      words = "ended before the release";
      for (const auto& container : pod->init) {
        if (container.phase == ContainerPhase::Terminated && container.exit_code != 0)
          words += ": init container " + exit_words(container);
      }
      if (!pod->reason.empty()) words += " (" + pod->reason + (pod->message.empty() ? "" : ": " + pod->message) + ")";
    }
    if (words.empty()) continue;
    return lost(api::EndReason::PodLost, with_stop(place(view, pod, entry) + " " + words), entry,
                !right || pod->deleting, now);
  }
  return std::nullopt;
}

std::set<int> succeeded_ranks(const JobView& view, const std::string& trainer) {
  auto ranks = view.succeeded;
  for (const auto& [rank, pod] : view.pods) {
    if (ended_well(*pod, pod->container(trainer))) ranks.insert(rank);
  }
  return ranks;
}

Course course_of(const JobView& view, const std::string& trainer, WallTime now) {
  const auto& roll_call = *view.roll_call;
  const auto succeeded = succeeded_ranks(view, trainer);
  Training training;
  const api::RosterEntry* waiting = nullptr;
  bool pulling = false;
  std::optional<WallTime> first_start;

  for (const auto& entry : roll_call.spec.roster) {
    const auto* pod = pod_at(view, entry.node_rank);
    const auto* container = pod == nullptr ? nullptr : pod->container(trainer);
    if (started(container) && container->started_at && (!first_start || *container->started_at < *first_start))
      first_start = container->started_at;
    if (succeeded.contains(entry.node_rank)) {
      ++training.succeeded;
      continue;
    }
    if (auto words = loss_words(pod, container); !words.empty()) {
      return lost(api::EndReason::PodLost, with_stop(place(view, pod, entry) + " " + words), entry,
                  pod == nullptr || pod->deleting, now);
    }
    if (container != nullptr && container->phase == ContainerPhase::Running) ++training.running;
    if (!started(container)) {
      if (waiting == nullptr) waiting = &entry;
      pulling = pulling || (pod != nullptr && may_be_pulling(*pod, trainer));
    }
  }
  if (auto failure = first_failure(view, trainer)) return *failure;
  if (training.succeeded == static_cast<int>(roll_call.spec.roster.size())) return AllSucceeded{};

  if (const auto* first = pod_at(view, 0); first != nullptr && !roll_call.spec.master_addr && !first->address.empty() &&
                                           !roll_call.status.master_addr.empty() &&
                                           first->address != roll_call.status.master_addr) {
    return lost(api::EndReason::AddressChanged,
                "The address of node rank 0's pod changed from " + roll_call.status.master_addr + " to " +
                    first->address + " after the release; the trainers hold the former one.",
                roll_call.spec.roster.front(), false, now);
  }
  if (waiting == nullptr) return training;

  const auto patience = std::chrono::seconds(roll_call.spec.settings.wait_for_pods_seconds);
  const auto released = rfc3339_from(roll_call.status.verdict->at).value_or(now);
  const auto deadline = !first_start
                            ? released + patience
                            : *first_start + (pulling ? std::max<std::chrono::seconds>(patience, kTrainersStartWithin)
                                                      : kTrainersStartWithin);
  if (now < deadline) {
    training.look_again = deadline;
    return training;
  }
  const auto* pod = pod_at(view, waiting->node_rank);
  const auto* container = pod == nullptr ? nullptr : pod->container(trainer);
  auto words = place(view, pod, *waiting) + ": " + trainer + " does not run ";
  words += first_start ? duration_words(now - *first_start) + " after the first trainer's start"
                       : duration_words(now - released) + " after the release";
  if (container != nullptr && !container->reason.empty()) {
    words += ": " + container->reason + (container->message.empty() ? "" : ": " + container->message);
  }
  return lost(api::EndReason::TrainerNotStarted, with_stop(words) + " The others would have waited for it.", *waiting,
              false, now);
}

}  // namespace rollcall::operator_
