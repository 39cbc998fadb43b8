#include "launch/patch.h"
#include "launch/rules/scheduling/family.h"
#include "launch/rules/scheduling/readiness.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const bool set = launch.kind == JobKind::stateful_set;
  const Field policy = launch.root["spec"][set ? "podManagementPolicy" : "startupPolicy"];
  const char* waits = set ? "OrderedReady" : "LeaderReady";
  if (policy.text(set ? "OrderedReady" : "LeaderCreated") != waits) return;
  for (const Role& role : launch.roles) {
    const auto& nodes = role.told.least_nodes;
    if (!role.leads || !nodes.known() || *nodes < 2 || !answers_after_the_world(role, role.container["readinessProbe"]))
      continue;
    if (set && !role.asks_for_many()) continue;
    judgement.add(scheduling_next_pod_waits_for_ready, policy.path())
        .wrong(
            "{} makes the next pod only when this one is ready, and torchrun starts what its readinessProbe asks only "
            "when all {} "
            "nodes are there.",
            waits, *nodes)
        .instead("Write {}: {}.", set ? "podManagementPolicy" : "startupPolicy", set ? "Parallel" : "LeaderCreated")
        .patch(add_patch(policy.path(), set ? "Parallel" : "LeaderCreated"));
    return;
  }
}

}  // namespace

const Rule scheduling_next_pod_waits_for_ready{
    .id = "scheduling/next-pod-waits-for-ready",
    .severity = Severity::deny,
    .title = "pods that are made one by one, and wait for each other",
    .why =
        "The controller makes the next pod only when the one before is ready. torchrun starts the program that answers "
        "the readiness probe only when every node is there: the first pod waits for pods that are never made.",
    .wrong = "podManagementPolicy: OrderedReady with a readinessProbe and torchrun --nnodes=2",
    .right = "podManagementPolicy: Parallel",
    .check = check,
    .kinds = {JobKind::stateful_set, JobKind::leader_worker_set},
};

}  // namespace rollcall::launch::rules
