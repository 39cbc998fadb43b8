#include "launch/rules/rendezvous/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Port& port : launch.ports) {
    if (!port.number.known() || (*port.number >= 1 && *port.number <= 65535)) continue;
    judgement.add(rendezvous_port_out_of_range, port.number.path())
        .wrong("{}`{}` is no port; ports are 1 to 65535.", port.what, port.text.substr(0, 60))
        .instead("Write a port from 1024 to 32767, or leave it out for 29500.");
  }
}

}  // namespace

const Rule rendezvous_port_out_of_range{
    .id = "rendezvous/port-out-of-range",
    .severity = Severity::deny,
    .title = "a rendezvous port that is none",
    .why =
        "Ports are 1 to 65535. With another number the launcher on node rank 0 cannot listen and the others cannot "
        "call.",
    .wrong = "port: 70000",
    .right = "port: 29500",
    .check = check,
};

}  // namespace rollcall::launch::rules
