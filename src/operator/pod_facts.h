#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time_text.h"

namespace rollcall::operator_ {

enum class ContainerPhase { Waiting, Running, Terminated };

struct ContainerFacts {
  std::string name;
  ContainerPhase phase = ContainerPhase::Waiting;
  std::string reason;   ///< the kubelet's word: ImagePullBackOff, OOMKilled, Error …
  std::string message;  ///< of the kubelet, or the termination message
  int exit_code = 0;    ///< when Terminated
  std::optional<WallTime> started_at;
  std::optional<WallTime> finished_at;
  std::string image_id;  ///< empty while the image has not been pulled
};

/// On a pod, by the operator: counts how often its kubelet was made to look at the pod again, because the file that
/// shows the address still lacked it. Nobody reads the value but the operator.
inline constexpr auto kAnnotationShowAgain = "rollcall.dev/show-again";

/// What the operator reads of a pod; the document itself is not kept.
struct PodFacts {
  std::string name;
  std::string uid;
  std::string owner_kind;  ///< of the controller
  std::string owner_name;
  std::string owner_uid;  ///< empty = no controller
  std::string job;        ///< label rollcall.dev/job-name
  int node_rank = -1;     ///< labels; -1 and 0 where they are missing or no numbers
  int attempt = 0;
  std::string master_addr;  ///< our annotations, as they stand
  std::string master_endpoint;
  std::string seen_attempt;
  std::string released_attempt;
  int show_again = 0;  ///< kAnnotationShowAgain
  bool deleting = false;
  std::optional<WallTime> deleting_since;     ///< when its grace period is over
  std::optional<WallTime> deletion_asked_at;  ///< when it began
  std::string phase;                          ///< Pending, Running, Succeeded, Failed, Unknown
  std::string reason;                         ///< pod-level: Evicted, NodeLost, DeadlineExceeded …
  std::string message;
  bool disrupted = false;  ///< condition DisruptionTarget: evicted, preempted or its node drained
  std::string node;        ///< empty = not scheduled
  std::string address;     ///< podIPs[0]
  std::optional<WallTime> scheduled_at;
  std::string unscheduled;  ///< the scheduler's words
  std::optional<int> active_deadline_seconds;
  bool has_probe = false;          ///< the init container that answers is in its spec: a pod as make_pod() makes it
  std::optional<int> master_port;  ///< MASTER_PORT, when it is reserved as a host port
  std::vector<ContainerFacts> init;
  std::vector<ContainerFacts> containers;

  const ContainerFacts* container(const std::string& wanted) const;
  const ContainerFacts* init_container(const std::string& wanted) const;
  bool finished() const { return phase == "Succeeded" || phase == "Failed"; }
  bool probe_running() const;
};

/// An Error is a document without name and uid, which the API server never sends.
Result<PodFacts> pod_facts_from(const nlohmann::json& pod);

/// Why this pod's probe does not run yet, in the scheduler's or kubelet's words: "is not scheduled: 0/3 nodes …"; empty
/// when it runs or ran.
std::string waiting_words(const PodFacts& pod);

}  // namespace rollcall::operator_
