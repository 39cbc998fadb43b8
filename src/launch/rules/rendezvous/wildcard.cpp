#include "launch/rules/rendezvous/addresses.h"
#include "launch/rules/rendezvous/family.h"
#include "launch/rules/rendezvous/master.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

/// Kinds in which the manifest says where the world meets.
void check_others(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Told& told = role.told;
    if (!told.master.known() || address_kind(*told.master) != AddressKind::wildcard || !several(role)) continue;
    judgement.add(rendezvous_wildcard, told.master.path())
        .wrong("{}`{}` is an address to listen on; each of the {} nodes that calls it reaches itself.",
               told.master_what, shown(*told.master), *told.nodes)
        .instead("{}", launch.master_advice)
        .patch(replace_master_patch(launch, role));
  }
}

void check(const Launch& launch, Judgement& judgement) {
  if (launch.kind != JobKind::training_job) return check_others(launch, judgement);
  for_addresses(launch, AddressKind::wildcard, Nodes::several, [&](const Address& address) {
    judgement.add(rendezvous_wildcard, address.host.path())
        .wrong("{}`{}` is an address to listen on; each of the {} nodes that calls it reaches itself.", address.what,
               shown(*address.host), nodes_of(launch))
        .instead("{}", leave_it_out())
        .patch(address.patch);
  });
}

}  // namespace

const Rule rendezvous_wildcard{
    .id = "rendezvous/wildcard",
    .severity = Severity::deny,
    .title = "the wildcard address as master address",
    .why = "A wildcard is an address to listen on, not to call; a node that calls it reaches itself.",
    .wrong = "masterAddr: 0.0.0.0",
    .right = "no masterAddr",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
