#include "probe/steps/facts.h"

#include "probe/children/process.h"
#include "probe/facts/child.h"
#include "probe/facts/environment.h"
#include "probe/facts/node.h"
#include "probe/text.h"

namespace rollcall::probe {

namespace {
/// Expected under 0.5 s; a cold image on a slow disk has taken two, and one that is streamed faults in 400 MB first.
/// The desk waits 60 s for local facts.
constexpr std::chrono::milliseconds kFilesDeadline{50'000};
}  // namespace

FactsReading read_facts(const Settings& settings, const Wake& cancel) {
  // Whatever setup makes of it is not waited for here: it belongs to the stages with GPUs.
  auto environment = own_environment();
  for (const auto& [name, value] : settings.exports) environment[name] = value;
  auto child = read_facts_in_child(settings.self, environment, kFilesDeadline, cancel);
  FactsReading reading{std::move(child.facts), std::move(child.trouble)};
  auto& facts = reading.facts;
  read_node_facts(facts);
  facts.env = allowed_environment(environment);
  facts.gpu_resource = settings.gpu_resource;
  facts.gpus_requested = settings.gpus;
  if (!reading.trouble.empty() && facts.gpus_visible < facts.gpus_requested && facts.gpu_detail.empty()) {
    facts.gpu_detail = reading.trouble;
  }
  return reading;
}

std::string facts_line(const roll_call::LocalFacts& facts) {
  constexpr std::int64_t kMiB = 1 << 20;
  std::string line =
      text("local facts: host ", facts.hostname, ", kernel ", facts.kernel, ", /dev/shm ", facts.shm_bytes / kMiB,
           " MiB, memory limit ",
           facts.memory_limit_bytes == 0 ? std::string("none") : text(facts.memory_limit_bytes / kMiB, " MiB"),
           ", open files ", facts.nofile);
  if (facts.gpus_requested > 0)
    line += text(", ", facts.gpus_visible, " of ", facts.gpus_requested, " ", facts.gpu_resource, " visible");
  if (!facts.gpu_detail.empty()) line += text(" (", facts.gpu_detail, ")");
  for (const auto& interface : facts.interfaces) {
    if (interface.name == "lo" || interface.addresses.empty()) continue;
    line += text("; ", interface.name, " ", interface.addresses.front(), " MTU ", interface.mtu,
                 interface.up ? "" : " (down)");
  }
  for (const auto& library : facts.libraries) {
    line += text("; ", library.name, " ", library.version.empty() ? "(version not readable)" : library.version, " at ",
                 library.path);
  }
  if (facts.libraries.empty()) line += "; no libnccl, torch or jax found in the image";
  return line;
}

}  // namespace rollcall::probe
