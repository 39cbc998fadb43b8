#include "launch/rules/rendezvous/addresses.h"
#include "launch/rules/rendezvous/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for_addresses(launch, AddressKind::host_name, Nodes::several_or_spec, [&](const Address& address) {
    judgement.add(rendezvous_host_name, address.host.path())
        .wrong(
            "{}`{}` is a host name; nodes may resolve it differently (loopback on the node itself is the usual case).",
            address.what, shown(*address.host))
        .instead("{}", leave_it_out())
        .patch(address.patch);
  });
}

}  // namespace

const Rule rendezvous_host_name{
    .id = "rendezvous/host-name",
    .severity = Severity::deny,
    .title = "a host name as master address",
    .why =
        "Each node resolves a name by itself: the node that owns it often to its loopback, others before the record is "
        "there or not at all. Then some ranks listen where the rest do not call. The operator hands out the literal "
        "address of node rank 0.",
    .wrong = "masterAddr: gpu-0.train",
    .right = "no masterAddr",
    .check = check,
};

}  // namespace rollcall::launch::rules
