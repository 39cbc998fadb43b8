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
    if (!told.master.known() || address_kind(*told.master) != AddressKind::link_local || !several(role)) continue;
    judgement.add(rendezvous_link_local, told.master.path())
        .wrong("{}`{}` is a link-local address, which no other node can reach.", told.master_what, shown(*told.master))
        .instead("{}", launch.master_advice)
        .patch(replace_master_patch(launch, role));
  }
}

void check(const Launch& launch, Judgement& judgement) {
  if (launch.kind != JobKind::training_job) return check_others(launch, judgement);
  for_addresses(launch, AddressKind::link_local, Nodes::several, [&](const Address& address) {
    judgement.add(rendezvous_link_local, address.host.path())
        .wrong("{}`{}` is a link-local address, which no other node can reach.", address.what, shown(*address.host))
        .instead("{}", leave_it_out())
        .patch(address.patch);
  });
}

}  // namespace

const Rule rendezvous_link_local{
    .id = "rendezvous/link-local",
    .severity = Severity::deny,
    .title = "a link-local address as master address",
    .why =
        "A link-local address is valid on one link of one machine, and several machines may have the same one; pods of "
        "other nodes cannot reach it.",
    .wrong = "masterAddr: 169.254.1.2",
    .right = "no masterAddr",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
