#include "launch/address.h"
#include "launch/rules/rendezvous/addresses.h"
#include "launch/rules/rendezvous/family.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Told& told = role.told;
    if (told.master.known() || told.master_otherwise.empty() || !several(role) || role.container["envFrom"].present())
      continue;
    if (address_kind(told.master_otherwise) != AddressKind::localhost) continue;
    judgement.add(rendezvous_falls_back_to_localhost, told.master.path())
        .wrong(
            "{}the address of node rank 0 falls back to `{}`, and nothing in the manifest gives it another: each of "
            "the {} nodes would call itself.",
            told.master_what, shown(told.master_otherwise), *told.least_nodes)
        .instead("Take the fallback out, so that a missing address ends the job at once. {}", launch.master_advice);
  }
}

}  // namespace

const Rule rendezvous_falls_back_to_localhost{
    .id = "rendezvous/falls-back-to-localhost",
    .severity = Severity::warn,
    .title = "a master address that falls back to the loopback address",
    .why =
        "Where the variable is not set or the command fails, every node takes itself for the master. Each trains alone "
        "or waits for peers that never come, and nothing says why.",
    .wrong = "torchrun --nnodes=4 --master_addr=${MASTER_ADDR:-localhost} without MASTER_ADDR in env",
    .right = "torchrun --nnodes=4 --master_addr=${MASTER_ADDR:?} with MASTER_ADDR in env",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
