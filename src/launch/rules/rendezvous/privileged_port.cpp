#include "launch/rules/rendezvous/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Port& port : launch.ports) {
    if (!port.number.known() || port.left_out || *port.number < 1 || *port.number >= 1024) continue;
    judgement.add(rendezvous_privileged_port, port.number.path())
        .wrong("{}{} is below 1024, where only a privileged process may listen.", port.what, *port.number)
        .instead("Write a port from 1024 to 32767, or leave it out for 29500.");
  }
}

}  // namespace

const Rule rendezvous_privileged_port{
    .id = "rendezvous/privileged-port",
    .severity = Severity::warn,
    .title = "a rendezvous port below 1024",
    .why = "Only a process with NET_BIND_SERVICE may listen below 1024; a container that does not run as root cannot.",
    .wrong = "port: 443",
    .right = "port: 29500",
    .check = check,
};

}  // namespace rollcall::launch::rules
