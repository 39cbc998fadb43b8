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
    if (!told.master.known() || address_kind(*told.master) != AddressKind::unparsable || !several(role) ||
        told.master->empty())
      continue;
    judgement.add(rendezvous_unparsable_address, told.master.path())
        .wrong("{}`{}` is neither an IP address nor a host name.", told.master_what, shown(*told.master))
        .instead("{}", launch.master_advice)
        .patch(replace_master_patch(launch, role));
  }
}

void check(const Launch& launch, Judgement& judgement) {
  if (launch.kind != JobKind::training_job) return check_others(launch, judgement);
  for_addresses(launch, AddressKind::unparsable, Nodes::any, [&](const Address& address) {
    judgement.add(rendezvous_unparsable_address, address.host.path())
        .wrong("{}`{}` is neither an IP address nor a host name.", address.what, shown(*address.host))
        .instead("{}", leave_it_out())
        .patch(address.patch);
  });
}

}  // namespace

const Rule rendezvous_unparsable_address{
    .id = "rendezvous/unparsable-address",
    .severity = Severity::deny,
    .title = "a master address that is neither address nor name",
    .why = "The launcher gives up at once, or waits for a host that cannot exist.",
    .wrong = "masterAddr: tcp://10.0.0.5",
    .right = "no masterAddr",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
