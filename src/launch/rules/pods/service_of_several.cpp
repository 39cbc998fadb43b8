#include "launch/rules/pods/family.h"
#include "launch/rules/pods/master_service.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const auto [service, pods] = meeting_of(launch);
  if (service == nullptr) return;
  for (const NodePod* pod : pods) {
    if (pod->node_rank == 0 || !selects(*service, *pod)) continue;
    judgement.add(pods_service_of_several, launch.roles[0].told.master.path())
        .wrong("Service `{}` selects pod `{}` of node rank {} as well: its name leads to one or the other.",
               service->name, pod->name, pod->node_rank)
        .instead("Let the Service select a label that node rank 0 alone has.");
    return;
  }
}

}  // namespace

const Rule pods_service_of_several{
    .id = "pods/service-of-several",
    .severity = Severity::warn,
    .title = "the Service at which pods meet leads to several of them",
    .why =
        "Only node rank 0 listens. A Service that selects other nodes too sends some calls to a pod where nobody "
        "answers: whether the job starts is chance.",
    .wrong = "Service selector {app: llama}, which all pods have",
    .right = "Service selector {app: llama, role: master}",
    .check = check,
    .kinds = {JobKind::pod},
};

}  // namespace rollcall::launch::rules
