// Kinds of Kubernetes itself: Job, StatefulSet, Pod. Nobody gives a rendezvous; the manifest writes it by hand, with
// the pod's own index as node rank.
#include "launch/kinds/other_kinds.h"
#include "launch/kinds/pods.h"

namespace rollcall::launch {

std::optional<Launch> read_batch_job(const nlohmann::json& object, const Context& around) {
  Launch launch = launch_of(object, JobKind::batch_job, around);
  const Field spec = launch.root["spec"];
  RoleSource source{"", spec["template"], "", {}, false};
  const bool indexed = spec["completionMode"].text() == "Indexed";
  if (indexed) source.given.push_back(given_at_run_time("JOB_COMPLETION_INDEX", "Job controller"));
  Role role = read_role(source, launch);
  role.pods = count_of(spec["parallelism"], 1);
  role.nodes = role.pods;
  launch.index_variable = "JOB_COMPLETION_INDEX";
  launch.rank_advice = "Write `$(JOB_COMPLETION_INDEX)`, of a Job with completionMode: Indexed.";
  launch.master_advice =
      "Write the name of pod 0, JOB-0.SERVICE, with a headless Service and the pods' subdomain of its name.";
  launch.roles.push_back(std::move(role));
  return trains(launch) ? std::optional(std::move(launch)) : std::nullopt;
}

std::optional<Launch> read_stateful_set(const nlohmann::json& object, const Context& around) {
  Launch launch = launch_of(object, JobKind::stateful_set, around);
  const Field spec = launch.root["spec"];
  Role role = read_role({"", spec["template"], "", {}, false}, launch);
  role.pods = count_of(spec["replicas"], 1);
  role.nodes = role.pods;
  launch.index_variable = "POD_INDEX";
  launch.rank_advice = "Take it from the label `apps.kubernetes.io/pod-index` by a fieldRef.";
  launch.master_advice = "Write the name of pod 0, NAME-0.SERVICE, with spec.serviceName of a headless Service.";
  launch.roles.push_back(std::move(role));
  return trains(launch) ? std::optional(std::move(launch)) : std::nullopt;
}

std::optional<Launch> read_bare_pod(const nlohmann::json& object, const Context& around) {
  Launch launch = launch_of(object, JobKind::pod, around);
  Role role = read_role({"", launch.root, "", {}, false}, launch);
  role.pods = Fact<int>::of(1, "");
  role.nodes = Fact<int>::unknown("a Pod does not say how many others belong to it", "");
  launch.rank_advice = "Write each pod's own.";
  launch.master_advice = "Write an address of the pod of node rank 0 that the others reach.";
  launch.roles.push_back(std::move(role));
  return trains(launch) ? std::optional(std::move(launch)) : std::nullopt;
}

}  // namespace rollcall::launch
