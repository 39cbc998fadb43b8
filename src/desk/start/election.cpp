#include <cstdlib>

#include "api/names.h"
#include "desk/start/program.h"

namespace rollcall::desk {
namespace {

void won(Program& program, std::int64_t transitions) {
  log::info("this desk leads", {{"term", transitions}, {"identity", program.elector->holder()}});
  program.service->lead(transitions);
  program.endpoint->start();
}

/// Nothing is ended in good order: that would be replies and writes of a desk that does not lead. Probes whose replies
/// were held see their connections close and ask again.
[[noreturn]] void lost(const std::string& why) {
  log::error("this desk leads no more and ends", {{"why", why}});
  std::_Exit(1);
}

void lease_failed(Program& program, const std::string& why) {
  if (const auto turn = program.lease_failures.turn("lease"); turn.now)
    log::warn("the lease was not read or written; tried again", {{"error", why}, {"held_back", turn.held_back}});
}

void endpoint_failed(Program& program, const std::string& why) {
  program.metrics.endpoint(false);
  if (const auto turn = program.lease_failures.turn("endpoint"); turn.now)
    log::error("probes may not be led to this desk; tried again", {{"error", why}, {"held_back", turn.held_back}});
}

}  // namespace

Status make_elector(Program& program) {
  const Flags& flags = program.flags;
  if (flags.leader_elect) {
    kube::Elector::Options options;
    options.ns = flags.namespace_name;
    options.name = api::names::kDeskLease;
    options.identity = kube::identity_of(flags.pod_name);
    options.times = flags.lease;
    program.elector = std::make_unique<kube::Elector>(
        *program.lease_client, options,
        kube::Elector::Callbacks{.won = [&program](std::int64_t transitions) { won(program, transitions); },
                                 .lost = [](const std::string& why) { lost(why); },
                                 .failed = [&program](const std::string& why) { lease_failed(program, why); }});
    program.metrics.standard().leadership(api::names::kDeskLease, [&program] { return program.elector->leading(); });
  }

  program.endpoint = std::make_unique<EndpointKeeper>(
      *program.lease_client,
      EndpointKeeper::Options{
          .endpoint = {flags.namespace_name, flags.service, flags.pod_name, flags.pod_address, flags.port},
          .may = [&program] { return !program.elector || program.elector->leading(); },
          .every = flags.lease.retry,
          .wrote =
              [&program, service = flags.service] {
                program.metrics.endpoint(true);
                log::info("probes are led to this desk", {{"service", service}});
              },
          .failed = [&program](const std::string& why) { endpoint_failed(program, why); }});
  return Done{};
}

void stand_for_election(Program& program) {
  std::call_once(program.elector_begun, [&program] {
    if (program.elector) {
      program.elector->start();
    } else {
      program.endpoint->start();
    }
  });
}

}  // namespace rollcall::desk
