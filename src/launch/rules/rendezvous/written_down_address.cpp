#include "launch/rules/rendezvous/addresses.h"
#include "launch/rules/rendezvous/family.h"
#include "launch/rules/rendezvous/master.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

/// Whether the address is of a store that is none of these pods: etcd's.
bool is_elsewhere(const Role& role) {
  const auto& rendezvous = role.told.rendezvous;
  return rendezvous.given() && (!rendezvous.known() || rendezvous->starts_with("etcd"));
}

/// Kinds in which the manifest says where the world meets.
void check_others(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Told& told = role.told;
    if (!told.master.known() || address_kind(*told.master) != AddressKind::literal || !several(role) ||
        role.host_network || is_elsewhere(role))
      continue;
    judgement.add(rendezvous_written_down_address, told.master.path())
        .wrong("{}`{}` is written down, but pods without the host network get their addresses when they are made.",
               told.master_what, shown(*told.master))
        .instead("{}", launch.master_advice)
        .patch(replace_master_patch(launch, role));
  }
}

void check(const Launch& launch, Judgement& judgement) {
  if (launch.kind != JobKind::training_job) return check_others(launch, judgement);
  if (launch.roles.front().host_network) return;
  for_addresses(launch, AddressKind::literal, Nodes::several_or_spec, [&](const Address& address) {
    if (address.left_out) return;  // env/handed-over-name says that it has no effect
    judgement.add(rendezvous_written_down_address, address.host.path())
        .wrong("{}`{}` is written down, but pods without the host network get their addresses when they are made.",
               address.what, shown(*address.host))
        .instead("{}", leave_it_out())
        .patch(address.patch);
  });
}

}  // namespace

const Rule rendezvous_written_down_address{
    .id = "rendezvous/written-down-address",
    .severity = Severity::warn,
    .title = "a literal master address without the host network",
    .why =
        "A pod gets its address when it is made, and another one in the next attempt. An address written down before "
        "belongs to no pod of the job, or to node rank 0 by chance.",
    .wrong = "masterAddr: 10.0.0.5 without hostNetwork",
    .right = "no masterAddr",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
