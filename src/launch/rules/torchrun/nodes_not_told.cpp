#include <string>

#include "launch/address.h"
#include "launch/rules/command_text.h"
#include "launch/rules/torchrun/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  if (launch.kind == JobKind::mpi_job) return;
  for (const Role& role : launch.roles) {
    const Told& told = role.told;
    const auto& launcher = role.command.launcher;
    if (!role.command.by_torchrun() || !role.asks_for_many()) continue;
    if (role.command.flag("--standalone") != nullptr || told.nodes.given() || role.container["envFrom"].present())
      continue;
    // Pods that each train alone call themselves.
    if (!told.master.known() || address_kind(*told.master) == AddressKind::localhost ||
        address_kind(*told.master) == AddressKind::wildcard)
      continue;
    const bool whole = launch.roles.size() == 1 && role.nodes.known();
    judgement.add(torchrun_nodes_not_told, launcher.path())
        .wrong("--nnodes is not given: each of the {} pods is a world of one node, although {}`{}` is for all.",
               *role.pods, told.master_what, *told.master)
        .instead("Write --nnodes={}.", whole ? std::to_string(*role.nodes) : std::string("NODES"))
        .patch(whole ? add_argument_patch(role, "--nnodes=" + std::to_string(*role.nodes)) : "");
  }
}

}  // namespace

const Rule torchrun_nodes_not_told{
    .id = "torchrun/nodes-not-told",
    .severity = Severity::deny,
    .title = "several pods, and torchrun is not told of them",
    .why =
        "Without --nnodes torchrun starts a world of one node, whatever address it is given. Node rank 0 trains alone, "
        "the others disturb it or fail.",
    .wrong = "torchrun --master-addr=llama-0.llama without --nnodes in two pods",
    .right = "torchrun --nnodes=2 --master-addr=llama-0.llama",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
