#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/roll_call.h"
#include "api/training_job.h"
#include "launch/plan.h"
#include "launch/pod/make_pod.h"
#include "launch/policy/policy.h"
#include "operator/pod_facts.h"

namespace rollcall::operator_ {

/// What is known of one job when it is looked at. Pods and RollCalls are all of the namespace that carry the job's
/// name, whoever made them; `reconcile` sorts out which are the job's.
struct Observed {
  nlohmann::json object;  ///< the TrainingJob as the API server holds it
  api::TrainingJob job;   ///< the same, read
  std::vector<PodFacts> pods;
  std::vector<api::RollCall> roll_calls;
  launch::Policy policy;                       ///< what the RollcallPolicies say for its namespace
  std::optional<launch::ProbeSettings> probe;  ///< nullopt while the desk's Service or certificate is not there
  std::string probe_missing;                   ///< why, then
  /// A denial of the rules refuses the job. False while the cluster's owner tries Rollcall out (enforcement warn or
  /// dryrun): then the roll call finds out.
  bool rules_refuse = true;
};

// What can be done. Each act is safe to repeat: a name, a uid or a compare-and-swap stands in the way of doing it
// twice.

/// Asks the API server what it would say to the pod, with strict field validation.
struct DryRunPod {
  int node_rank = 0;
};
struct CreatePod {
  int node_rank = 0;
};
/// Merge patch of annotations; refused when another pod stands under the name.
struct AnnotatePod {
  std::string name, uid;
  std::map<std::string, std::string> annotations;
};
/// activeDeadlineSeconds: the kubelet ends the containers, pod and logs stay.
struct EndPod {
  std::string name, uid;
};
struct DeletePod {
  std::string name, uid;
};
struct CreateRollCall {
  api::RollCallSpec spec;
};
struct DeleteRollCall {
  std::string name, uid;
};
struct AnnotateRollCall {
  std::string name, uid, key, value;
};
/// Compare-and-swap on status.verdict. The pods in `unless_alive` (name, uid) are asked for first: when one is alive
/// after all, the cache was behind and nothing is written.
struct WriteVerdict {
  std::string name, uid;
  api::Verdict verdict;
  std::vector<std::pair<std::string, std::string>> unless_alive;
};
/// Compare-and-swap on status.end.
struct WriteEnd {
  std::string name, uid;
  api::End end;
  std::vector<std::pair<std::string, std::string>> unless_alive;
};
/// Removes rollcall.dev/release from the TrainingJob while it holds this value: the attempt has consumed it.
struct ConsumeRelease {
  std::string value;
};

/// Deletes the TrainingJob, with all it owns, while its ttlSecondsAfterFinished is still this one.
struct DeleteJob {
  std::int64_t ttl_seconds = 0;
};

using Action = std::variant<DryRunPod, CreatePod, AnnotatePod, EndPod, DeletePod, CreateRollCall, DeleteRollCall,
                            AnnotateRollCall, WriteVerdict, WriteEnd, ConsumeRelease, DeleteJob>;

struct Event {
  std::string type;    ///< Normal, Warning
  std::string reason;  ///< CamelCase
  std::string message;
  bool operator==(const Event&) const = default;
};

/// What to do, in this order: the actions one after another until one fails, then the status, then the events.
struct Decision {
  std::vector<Action> actions;
  api::TrainingJobStatus status;
  std::vector<Event> events;  ///< recorded once the status is written, or at once when it is unchanged
  std::optional<std::chrono::milliseconds> look_again;
  launch::Plan plan;  ///< for CreatePod and DryRunPod
  int attempt = 0;    ///< of the pods that are created
};

}  // namespace rollcall::operator_
