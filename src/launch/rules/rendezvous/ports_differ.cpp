#include "launch/rules/rendezvous/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (std::size_t i = 0; i < launch.roles.size(); ++i) {
    const Told& first = launch.roles[i].told;
    for (std::size_t j = i + 1; j < launch.roles.size(); ++j) {
      const Told& second = launch.roles[j].told;
      if (!first.master.known() || !second.master.known() || *first.master != *second.master) continue;
      if (!first.least_nodes.known() || !second.least_nodes.known() || *first.least_nodes != *second.least_nodes ||
          *first.least_nodes < 2)
        continue;
      if (!first.port.known() || !second.port.known() || *first.port == *second.port) continue;
      judgement.add(rendezvous_ports_differ, second.port.path())
          .wrong("`{}` meets at `{}` on port {}, but `{}` on port {}.", launch.roles[j].name, *second.master,
                 *second.port, launch.roles[i].name, *first.port)
          .instead("Write one port in both.");
      return;
    }
  }
}

}  // namespace

const Rule rendezvous_ports_differ{
    .id = "rendezvous/ports-differ",
    .severity = Severity::deny,
    .title = "two ports of one world",
    .why =
        "Node rank 0 listens on one port. Nodes that call another one find nobody there, and node rank 0 waits for "
        "them.",
    .wrong = "--master-port=29500 in one role and --master-port=29501 in the other",
    .right = "the same port in both",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
