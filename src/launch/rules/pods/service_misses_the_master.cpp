#include "launch/rules/pods/family.h"
#include "launch/rules/pods/master_service.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const auto [service, pods] = meeting_of(launch);
  if (service == nullptr) return;
  for (const NodePod* pod : pods) {
    if (pod->node_rank != 0 || selects(*service, *pod)) continue;
    judgement.add(pods_service_misses_the_master, launch.roles[0].told.master.path())
        .wrong("Service `{}` does not select pod `{}`, which is node rank 0.", service->name, pod->name)
        .instead("Give the pod the labels that the Service selects.");
    return;
  }
}

}  // namespace

const Rule pods_service_misses_the_master{
    .id = "pods/service-misses-the-master",
    .severity = Severity::deny,
    .title = "the Service at which pods meet does not lead to node rank 0",
    .why =
        "Node rank 0 listens, and the others call it by the Service's name. A Service that does not select that pod "
        "leads nowhere, or to a pod that does not listen.",
    .wrong = "Service selector {role: master}, node rank 0 with the label role: leader",
    .right = "the label role: master on node rank 0",
    .check = check,
    .kinds = {JobKind::pod},
};

}  // namespace rollcall::launch::rules
