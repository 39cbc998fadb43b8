#include "launch/patch.h"
#include "launch/rules/lifecycle/family.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Field policy = role.pod_template["spec"]["restartPolicy"];
    const auto& rendezvous = role.told.rendezvous;
    if (policy.text() != "OnFailure" || !several(role) || !rendezvous.known() || *rendezvous != "static") continue;
    judgement.add(lifecycle_rank_restarts_alone, policy.path())
        .wrong("one of {} nodes that fails is started anew alone, and the others wait for the old one.",
               *role.told.least_nodes)
        .instead("Write Never with backoffLimit: 0, and let a JobSet start all of them anew.")
        .patch(add_patch(policy.path(), "Never"));
  }
}

}  // namespace

const Rule lifecycle_rank_restarts_alone{
    .id = "lifecycle/rank-restarts-alone",
    .severity = Severity::info,
    .title = "one rank that is started anew beside the others",
    .why =
        "The kubelet starts the container that failed anew, the other nodes do not know of it: they wait in their "
        "collective until its deadline, 10 min by default, and only then is the world whole again.",
    .wrong = "restartPolicy: OnFailure with a static rendezvous",
    .right = "restartPolicy: Never with backoffLimit: 0, and a JobSet that starts all anew",
    .check = check,
    .kinds = {JobKind::batch_job},
};

}  // namespace rollcall::launch::rules
