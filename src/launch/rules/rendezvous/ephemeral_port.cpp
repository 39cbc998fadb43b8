#include "launch/rules/rendezvous/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Port& port : launch.ports) {
    if (!port.number.known() || port.left_out || *port.number < 32768 || *port.number > 60999) continue;
    judgement.add(rendezvous_ephemeral_port, port.number.path())
        .wrong("{}{} is one of the ports of outgoing connections, 32768 to 60999, and may be taken.", port.what,
               *port.number)
        .instead("Write a port from 1024 to 32767, or leave it out for 29500.");
  }
}

}  // namespace

const Rule rendezvous_ephemeral_port{
    .id = "rendezvous/ephemeral-port",
    .severity = Severity::warn,
    .title = "a rendezvous port that outgoing connections use",
    .why =
        "Linux gives 32768 to 60999 to outgoing connections. Some other process of the node, on the host network of "
        "any pod, may have the port when the job wants to listen on it.",
    .wrong = "port: 40000",
    .right = "port: 29500",
    .check = check,
};

}  // namespace rollcall::launch::rules
