#include "launch/rules/mesh/family.h"
#include "launch/rules/mesh/traffic.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const auto cut = first_cut(launch);
  if (!cut || cut->few != nullptr) return;
  const bool in = cut->side == &cut->policy->ingress;
  judgement.add_in(mesh_ranks_cut_off, cut->policy->object, cut->policy->places.at(cut->side->path))
      .wrong("NetworkPolicy {} is about the pods of {} {}, and nothing here lets {} the job's other pods.",
             cut->policy->object.name, launch.object.kind, launch.object.name,
             in ? "in connections from" : "them reach")
      .instead("Add a rule `{}: [{{podSelector: …}}]` that takes the job's own pods, without ports.",
               in ? "from" : "to");
}

}  // namespace

const Rule mesh_ranks_cut_off{
    .id = "mesh/ranks-cut-off",
    .severity = Severity::warn,
    .title = "a NetworkPolicy that lets no rank reach another",
    .why =
        "A policy is about the job's pods, and no policy beside it admits them to each other: each rank waits for "
        "peers whose packets are dropped, until the rendezvous times out. Another policy of the cluster may admit "
        "them: policies add up.",
    .wrong = "podSelector: {} with policyTypes: [Ingress] and no rule for the job's pods",
    .right = "the same with a policy whose ingress is from: [{podSelector: the job's pods}]",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
