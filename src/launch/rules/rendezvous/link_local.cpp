#include "launch/rules/rendezvous/family.h"
#include "launch/rules/rendezvous/addresses.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
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
};

}  // namespace rollcall::launch::rules
