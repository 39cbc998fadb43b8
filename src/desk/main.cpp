#include <malloc.h>

#include "desk/start/program.h"
#include "telemetry/log.h"

using namespace rollcall;
using namespace rollcall::desk;

namespace {

struct Step {
  const char* name;
  Status (*act)(Program&);
};

// Before any thread: cpprestsdk's pool inherits the signal mask too.
constexpr Step kSteps[] = {
    {"signals", block_signals}, {"API client", connect_client},   {"election", make_elector},
    {"service", make_service},  {"probes' server", start_server}, {"health and metrics servers", start_endpoints},
    {"watches", start_watches},  // last: once they have read all there is, this desk may lead
};

}  // namespace

int main(int argc, char** argv) {
  // Threads that each keep an arena of their own would hold several MiB that none of them needs.
  mallopt(M_ARENA_MAX, 2);
  log::start();
  Program program;
  const auto read = read_flags(argc, argv, program.flags);
  if (!read) {
    log::error("cannot start", {{"step", "flags"}, {"error", read.error().message}});
    return 2;
  }
  if (*read) return **read;
  for (const auto& step : kSteps) {
    if (const auto done = step.act(program); !done) {
      log::error("cannot start", {{"step", step.name}, {"error", done.error().message}});
      return 1;
    }
  }
  program.ready = true;
  log::info("desk started", {{"namespace", program.flags.namespace_name},
                             {"port", program.server->port()},
                             {"health_port", program.health->port()},
                             {"metrics_port", program.metrics_server->port()},
                             {"leader_elect", program.flags.leader_elect}});
  wait_for_end(program);
  end(program);
  return 0;
}
