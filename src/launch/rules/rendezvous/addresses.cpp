#include "launch/rules/rendezvous/addresses.h"

namespace rollcall::launch::rules {

void for_addresses(const Launch& launch, AddressKind kind, Nodes nodes,
                   const std::function<void(const Address&)>& found) {
  const Fact<int>& count = launch.roles.front().nodes;
  const bool several = count.known() && *count > 1;
  for (const Address& address : launch.addresses) {
    const bool spec = address.host.path() == launch.master_addr.path();
    const bool speaks = nodes == Nodes::any || several || (nodes == Nodes::several_or_spec && spec);
    if (speaks && address.host.known() && address_kind(*address.host) == kind) found(address);
  }
}

int nodes_of(const Launch& launch) { return *launch.roles.front().nodes; }

std::string shown(const std::string& text) { return text.size() <= 80 ? text : text.substr(0, 77) + "..."; }

std::string_view leave_it_out() { return "Leave it out: the operator hands every rank the address of rank 0's pod."; }

}  // namespace rollcall::launch::rules
