#include <string>

#include "launch/rules/host_network/family.h"
#include "launch/rules/host_network/neighbours.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Told& told = role.told;
    if (!role.host_network || !role.asks_for_many() || !told.port.known() || may_not_share_a_node(launch, role))
      continue;
    if (kept_apart_by_port(launch, role, *told.port)) continue;
    const std::string at = role.pod_template["spec"]["hostNetwork"].path();
    judgement.add(host_network_fixed_port, told.port.path().empty() ? at : told.port.path())
        .wrong("the pods are on the host network and may share a node, where only one can listen on port {}.",
               *told.port)
        .instead(
            "Write containerPort: {} into the container's ports, so that no two such pods come to one node, give each "
            "job a port of its own, or leave out hostNetwork.",
            *told.port);
  }
}

}  // namespace

const Rule host_network_fixed_port{
    .id = "host-network/fixed-port",
    .severity = Severity::warn,
    .title = "one port for all on the host network",
    .why =
        "On the host network pods of one node share its ports. Two jobs, or two pods of this one, that the scheduler "
        "puts on one node both want the rendezvous port: the second ends with \"Address already in use\", or joins the "
        "world of the first.",
    .wrong = "hostNetwork: true, nvidia.com/gpu: 2, --rdzv-endpoint=…:29500",
    .right = "the same with ports: [{containerPort: 29500}]",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
