#include "launch/rules/rendezvous/family.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

void check_others(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Fact<long long>& port = role.told.port;
    if (!port.known() || (*port >= 1 && *port <= 65535) || !several(role)) continue;
    auto words = judgement.add(rendezvous_port_out_of_range, port.path());
    if (*port == 0) {
      words.wrong("port 0 is any free one: each of the {} nodes takes another.", *role.told.nodes);
    } else {
      words.wrong("`{}` is no port; ports are 1 to 65535.", *port);
    }
    words.instead("Write a port from 1024 to 32767, like 29500.");
  }
}

void check(const Launch& launch, Judgement& judgement) {
  if (launch.kind != JobKind::training_job) return check_others(launch, judgement);
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
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
