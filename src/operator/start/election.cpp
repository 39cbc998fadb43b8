#include <unistd.h>

#include <cstdlib>

#include "api/names.h"
#include "operator/start/program.h"
#include "telemetry/log.h"

namespace rollcall::operator_ {
namespace {

constexpr int kLostTheLease = 3;  ///< exit code; 1 is a failed start, 2 a usage error

void act(Program& program) {
  const std::lock_guard lock(program.duty);
  if (program.ending) return;
  program.upkeep->start();
  program.controller->lead(program.options.workers);
}

/// At once and without destructors: another acts from here on, and what this process holds in memory is out of date.
/// Its writes are refused already (LeaderClient); the kubelet starts it anew as a standby.
[[noreturn]] void step_down(const std::string& why) {
  log::error("lease lost, ending at once", {{"why", why}});
  ::_exit(kLostTheLease);
}

}  // namespace

Status make_elector(Program& program) {
  if (!program.options.leader_elect) return Done{};
  const char* pod = std::getenv("POD_NAME");
  auto said = std::make_shared<log::Sparingly>(std::chrono::seconds(60));
  program.elector = std::make_unique<kube::Elector>(
      *program.lease_client,
      kube::Elector::Options{.ns = program.options.ns,
                             .name = api::names::kOperatorLease,
                             .identity = kube::identity_of(pod != nullptr ? pod : "rollcall-operator"),
                             .times = program.options.lease},
      kube::Elector::Callbacks{.won =
                                   [&program](std::int64_t transitions) {
                                     log::info("leading", {{"transitions", transitions}});
                                     act(program);
                                   },
                               .lost = [](const std::string& why) { step_down(why); },
                               .failed =
                                   [said](const std::string& why) {
                                     if (const auto turn = said->turn(why); turn.now)
                                       log::warn("lease not had", {{"why", why}, {"repeated", turn.held_back}});
                                   }});
  program.metrics.standard().leadership(api::names::kOperatorLease, [&program] { return program.leading(); });
  return Done{};
}

Status stand_for_election(Program& program) {
  if (program.elector) {
    program.elector->start();
  } else {
    act(program);
  }
  return Done{};
}

}  // namespace rollcall::operator_
