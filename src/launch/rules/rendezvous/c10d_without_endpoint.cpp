#include <string>

#include "launch/rules/command_text.h"
#include "launch/rules/rendezvous/family.h"
#include "launch/rules/rendezvous/master.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Told& told = role.told;
    if (!told.rendezvous.known() || *told.rendezvous != "c10d" || told.master.given() || !several(role)) continue;
    // The endpoint may come by the environment from elsewhere.
    if (role.command.flag("--standalone") != nullptr || role.container["envFrom"].present()) continue;
    const Flag* address = role.command.flag("--master-addr");
    const std::string master = master_of(launch, role);
    judgement.add(rendezvous_c10d_without_endpoint, told.rendezvous.path())
        .wrong(
            "the backend is c10d and no --rdzv-endpoint is given{}: each of the {} nodes looks for the others on its "
            "own loopback.",
            address != nullptr ? "; --master-addr is passed over" : "", *told.nodes)
        .instead("Write --rdzv-endpoint=HOST:PORT of node rank 0, or leave --rdzv-backend out.")
        .patch(master.empty() ? "" : add_argument_patch(role, "--rdzv-endpoint=" + master + ":29500"));
  }
}

}  // namespace

const Rule rendezvous_c10d_without_endpoint{
    .id = "rendezvous/c10d-without-endpoint",
    .severity = Severity::deny,
    .title = "c10d without an endpoint",
    .why =
        "The c10d backend looks at --rdzv-endpoint alone and passes --master-addr and --master-port over. Without an "
        "endpoint each node looks for the store on its own loopback: several worlds, or time-outs.",
    .wrong = "torchrun --nnodes=2 --rdzv-backend=c10d --master-addr=llama-0.llama",
    .right = "torchrun --nnodes=2 --rdzv-backend=c10d --rdzv-endpoint=llama-0.llama:29500",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
