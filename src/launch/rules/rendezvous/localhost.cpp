#include "launch/rules/rendezvous/addresses.h"
#include "launch/rules/rendezvous/family.h"
#include "launch/rules/rendezvous/master.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

void check_others(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Told& told = role.told;
    if (!told.master.known() || address_kind(*told.master) != AddressKind::localhost || !several(role)) continue;
    judgement.add(rendezvous_localhost, told.master.path())
        .wrong("{}`{}` is the node itself: each of the {} nodes would call itself.", told.master_what,
               shown(*told.master), *told.nodes)
        .instead("{}", launch.master_advice)
        .patch(replace_master_patch(launch, role));
  }
}

void check(const Launch& launch, Judgement& judgement) {
  if (launch.kind != JobKind::training_job) return check_others(launch, judgement);
  for_addresses(launch, AddressKind::localhost, Nodes::several, [&](const Address& address) {
    judgement.add(rendezvous_localhost, address.host.path())
        .wrong("{}`{}` is the node itself: each of the {} nodes would call itself.", address.what, shown(*address.host),
               nodes_of(launch))
        .instead("{}", leave_it_out())
        .patch(address.patch);
  });
}

}  // namespace

const Rule rendezvous_localhost{
    .id = "rendezvous/localhost",
    .severity = Severity::deny,
    .title = "the loopback address as master address of several nodes",
    .why =
        "Every node calls itself: node rank 0 waits for peers that never come, and each of the others finds nobody "
        "listening or trains alone.",
    .wrong = "MASTER_ADDR: 127.0.0.1 with nnodes: 4",
    .right = "no MASTER_ADDR",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
