#include <string>

#include "launch/rules/command_text.h"
#include "launch/rules/rendezvous/family.h"
#include "launch/rules/rendezvous/master.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  if (launch.kind == JobKind::mpi_job || launch.kind == JobKind::pytorch_job) return;
  for (const Role& role : launch.roles) {
    const Told& told = role.told;
    const auto& launcher = role.command.launcher;
    if (!role.command.by_torchrun() || !several(role)) continue;
    if (!told.rendezvous.known() || *told.rendezvous != "static" || told.master.given()) continue;
    if (role.command.flag("--standalone") != nullptr || role.container["envFrom"].present()) continue;
    const std::string master = master_of(launch, role);
    judgement.add(rendezvous_static_without_address, launcher.path())
        .wrong("no --master-addr is given: each of the {} nodes looks for the others on its own loopback.", *told.nodes)
        .instead("{}", launch.master_advice)
        .patch(master.empty() ? "" : add_argument_patch(role, "--master-addr=" + master));
  }
}

}  // namespace

const Rule rendezvous_static_without_address{
    .id = "rendezvous/static-without-address",
    .severity = Severity::deny,
    .title = "several nodes without an address to meet at",
    .why =
        "torchrun's static rendezvous is at --master-addr, which is 127.0.0.1 when nobody says. Each node looks for "
        "the others on its own loopback: node rank 0 waits, and the others find nobody.",
    .wrong = "torchrun --nnodes=2 --node-rank=$(JOB_COMPLETION_INDEX)",
    .right = "the same with --master-addr=llama-0.llama",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
