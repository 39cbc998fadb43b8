#include "launch/kinds/train_job/given.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "launch/kinds/accelerators.h"
#include "launch/kinds/pods.h"
#include "launch/kinds/shape.h"
#include "launch/kinds/train_job/merge.h"

namespace rollcall::launch::train_job {
namespace {

constexpr auto kWho = "TrainJob controller";
/// pkg/constants: ContainerTrainerPort.
constexpr auto kPort = "29500";

/// The name by which node rank 0 is called, whatever the runtime calls its job and its subdomain; empty when the
/// TrainJob's own name is made later.
std::string master_of(const Field& job) {
  const std::string name = job["metadata"]["name"].text();
  return name.empty() ? "" : name + "-" + kNode + "-0-0." + name;
}

/// Whole CPUs of a quantity, rounded up as the controller does: `24`, `"500m"`; nullopt for what is written otherwise.
std::optional<int> cpus_of(const Field& quantity) {
  if (quantity.is_integer() && quantity.json().get<long long>() >= 0 && quantity.json().get<long long>() < 100'000)
    return quantity.json().get<int>();
  std::string text = quantity.text();
  const bool thousandths = text.ends_with("m");
  if (thousandths) text.pop_back();
  const auto number = whole_number(text);
  if (!number) return std::nullopt;
  return thousandths ? (*number + 999) / 1000 : *number;
}

/// The resources that the controller looks at.
Field resources_of(const Setting& setting) {
  const Field own = setting.job["spec"]["trainer"]["resourcesPerNode"];
  return own.is_object() ? own : setting.container["resources"];
}

/// PET_NPROC_PER_NODE.
EnvEntry processes_of(const Setting& setting) {
  constexpr auto kName = "PET_NPROC_PER_NODE";
  const Field own = setting.job["spec"]["trainer"]["numProcPerNode"];
  if (own.is_integer()) return given(kName, own.json().dump(), own.path());
  // Until 2.1 the field took a word, and the runtime's policy had one of its own.
  const Field policy = setting.policy["torch"]["numProcPerNode"];
  const Field word = own.present() ? own : policy;
  if (word.is_integer()) return given(kName, word.json().dump(), word.path());
  if (word.present() && word.text() != "auto") return given_at_run_time(kName, kWho);
  const Fact<int> gpus = gpus_counted(setting.job, setting.container);
  if (!gpus.known()) return given_at_run_time(kName, kWho);
  if (*gpus > 0) return given(kName, "auto", own.path());
  // Devices that are not counted (trainer/gpus-not-counted): a later release may count them.
  if (const Fact<int> there = accelerators_of(setting.container).count; !there.known() || *there > 0)
    return given_at_run_time(kName, kWho);
  const Field resources = resources_of(setting);
  for (const char* list : {"requests", "limits"}) {
    const Field cpu = resources[list]["cpu"];
    if (!cpu.present()) continue;
    const auto count = cpus_of(cpu);
    if (!count) return given_at_run_time(kName, kWho);
    if (*count > 0) return given(kName, std::to_string(*count), cpu.path());
  }
  return given(kName, "1", own.path());
}

std::vector<EnvEntry> torch(const Setting& setting) {
  std::vector<EnvEntry> names{processes_of(setting), given_at_run_time("PET_NODE_RANK", kWho)};
  names.back().value.source = "JOB_COMPLETION_INDEX";
  names.push_back(setting.nodes.known() ? given("PET_NNODES", std::to_string(*setting.nodes), setting.nodes.path())
                                        : given_at_run_time("PET_NNODES", kWho));
  if (is_torchtune(setting.job)) return names;
  const std::string master = master_of(setting.job);
  names.push_back(master.empty() ? given_at_run_time("PET_MASTER_ADDR", kWho)
                                 : given("PET_MASTER_ADDR", master, setting.job["spec"]["runtimeRef"].path()));
  names.push_back(given("PET_MASTER_PORT", kPort, setting.job["spec"]["runtimeRef"].path()));
  return names;
}

std::vector<EnvEntry> jax(const Setting& setting) {
  std::vector<EnvEntry> names{given_at_run_time("JAX_PROCESS_ID", kWho)};
  names.back().value.source = "JOB_COMPLETION_INDEX";
  names.push_back(setting.nodes.known()
                      ? given("JAX_NUM_PROCESSES", std::to_string(*setting.nodes), setting.nodes.path())
                      : given_at_run_time("JAX_NUM_PROCESSES", kWho));
  const std::string master = master_of(setting.job);
  names.push_back(master.empty() ? given_at_run_time("JAX_COORDINATOR_ADDRESS", kWho)
                                 : given("JAX_COORDINATOR_ADDRESS", master + ":" + kPort,
                                         setting.job["spec"]["runtimeRef"].path()));
  // spec.trainer.env is put in after the plugin's.
  const Field own = setting.job["spec"]["trainer"]["env"];
  std::erase_if(names, [&own](const EnvEntry& entry) {
    for (std::size_t i = 0; i < own.size(); ++i)
      if (own[i]["name"].text() == entry.name) return true;
    return false;
  });
  return names;
}

}  // namespace

Framework framework_of(const Field& policy) {
  if (policy["torch"].is_object()) return Framework::torch;
  if (policy["jax"].is_object()) return Framework::jax;
  if (policy["mpi"].is_object()) return Framework::mpi;
  return policy["flux"].is_object() || policy["xgboost"].is_object() ? Framework::other : Framework::none;
}

std::vector<EnvEntry> given_by(const Setting& setting) {
  if (!setting.job["spec"]["trainer"].is_object()) return {};
  switch (framework_of(setting.policy)) {
    case Framework::torch:
      return torch(setting);
    case Framework::jax:
      return jax(setting);
    default:
      return {};
  }
}

std::vector<EnvEntry> maybe_given() {
  std::vector<EnvEntry> names;
  for (const char* name : {"PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"})
    names.push_back(given_at_run_time(name, kWho));
  return names;
}

bool is_torchtune(const Field& job) {
  const Field command = job["spec"]["trainer"]["command"];
  return command.size() == 2 && command[0].text() == "tune" && command[1].text() == "run";
}

Fact<int> gpus_counted(const Field& job, const Field& runtime_container) {
  const Field own = job["spec"]["trainer"]["resourcesPerNode"];
  const Field resources = own.is_object() ? own : runtime_container["resources"];
  for (const char* list : {"requests", "limits"}) {
    const Field quantities = resources[list];
    if (!quantities.is_object()) continue;
    int found = 0;
    Fact<int> count;
    for (const auto& [name, quantity] : quantities.json().items()) {
      std::string lower = name;
      std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
      if (lower.find("gpu") == std::string::npos) continue;
      ++found;
      const auto number = cpus_of(quantities[name]);
      count = number ? Fact<int>::of(*number, quantities[name].path())
                     : Fact<int>::unknown("is no plain number", quantities[name].path());
    }
    // Of several names the controller takes whichever its map gives first.
    if (found > 1) return Fact<int>::unknown("several resources have gpu in their name", quantities.path());
    if (found == 1 && (!count.known() || *count > 0)) return count;
  }
  return Fact<int>::of(0, resources.path());
}

}  // namespace rollcall::launch::train_job
