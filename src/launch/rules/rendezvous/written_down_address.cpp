#include "launch/rules/rendezvous/family.h"
#include "launch/rules/rendezvous/addresses.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
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
};

}  // namespace rollcall::launch::rules
