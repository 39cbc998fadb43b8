#include "launch/rules/rendezvous/family.h"
#include "launch/rules/rendezvous/addresses.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
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
};

}  // namespace rollcall::launch::rules
