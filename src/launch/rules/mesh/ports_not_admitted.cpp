#include "launch/rules/mesh/family.h"
#include "launch/rules/mesh/traffic.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const auto cut = first_cut(launch);
  if (!cut || cut->few == nullptr) return;
  judgement.add_in(mesh_ports_not_admitted, cut->policy->object, cut->policy->places.at(cut->few->ports_path))
      .wrong("between the pods of {} {} this lets only {} through, and ranks meet on other ports.", launch.object.kind,
             launch.object.name, cut->few->ports_text)
      .instead(
          "Leave out `ports` in a rule for the job's own pods: NCCL, gloo and MPI listen on ports that the kernel "
          "picks, mostly 32768 to 60999.");
}

}  // namespace

const Rule mesh_ports_not_admitted{
    .id = "mesh/ports-not-admitted",
    .severity = Severity::warn,
    .title = "a NetworkPolicy that admits the rendezvous and drops the ranks' connections",
    .why =
        "The policy is about the job's pods and lets them reach each other on a few ports. NCCL, gloo and Open MPI's "
        "daemons take ports from the kernel's range for outgoing connections, a different one each time. The "
        "rendezvous succeeds, the first collective hangs. Another policy of the cluster may admit them: policies add "
        "up.",
    .wrong = "ingress: [{from: the job's pods, ports: [{port: 29500}]}]",
    .right = "ingress: [{from: the job's pods}]",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
