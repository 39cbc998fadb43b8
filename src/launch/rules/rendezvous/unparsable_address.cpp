#include "launch/rules/rendezvous/family.h"
#include "launch/rules/rendezvous/addresses.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
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
};

}  // namespace rollcall::launch::rules
