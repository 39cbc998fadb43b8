#include "api/training_job.h"
#include "launch/rules/rendezvous/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const long long spec = launch.port.known() ? *launch.port : api::TrainingJobSpec{}.port;
  for (const Port& port : launch.ports) {
    const bool in_range = port.number.known() && *port.number >= 1 && *port.number <= 65535;
    if (!in_range || port.left_out || *port.number == spec) continue;
    judgement.add(rendezvous_port_against_spec, port.number.path())
        .wrong("{}{}, but the roll call tries spec.rendezvous.port, {}.", port.what, *port.number, spec)
        .instead("Leave it out, or write spec.rendezvous.port: {}.", *port.number);
  }
}

}  // namespace

const Rule rendezvous_port_against_spec{
    .id = "rendezvous/port-against-spec",
    .severity = Severity::warn,
    .title = "the launcher uses another port than the spec",
    .why =
        "The roll call tries the port of the spec on node rank 0. Whether the port that the launcher really uses is "
        "free and reachable then stays untried.",
    .wrong = "torchrun --master-port=29400 with port: 29500",
    .right = "torchrun train.py with port: 29500",
    .check = check,
};

}  // namespace rollcall::launch::rules
