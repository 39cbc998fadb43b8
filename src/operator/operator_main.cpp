#include "operator/options.h"
#include "operator/remove_webhooks.h"
#include "operator/start/program.h"
#include "telemetry/log.h"

namespace rollcall::operator_ {
namespace {

struct Step {
  const char* name;
  Status (*run)(Program&);
};

constexpr Step kSteps[] = {
    {"block signals", block_signals},
    {"connect to the API server", connect_clients},
    {"make the elector", make_elector},
    {"make the parts", make_parts},
    {"start the caches", start_caches},
    {"serve health and metrics", start_endpoints},
    {"stand for election", stand_for_election},
    {"run", wait_for_signal},
    {"end", end},
};

int run(Options options) {
  log::start();
  Program program;
  program.options = std::move(options);
  for (const auto& step : kSteps) {
    log::info("step", {{"name", step.name}});
    if (const auto done = step.run(program); !done) {
      log::error("step failed", {{"name", step.name}, {"why", done.error().message}});
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace rollcall::operator_

int main(int argc, char** argv) {
  using namespace rollcall::operator_;
  auto options = options_from(argc, argv);
  if (const auto* code = std::get_if<int>(&options)) return *code;
  auto& chosen = std::get<Options>(options);
  if (!chosen.remove_webhooks.empty()) return remove_webhooks_main(chosen.remove_webhooks, chosen.kubeconfig);
  return run(std::move(chosen));
}
