#include "launch/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "launch/handed_over.h"
#include "launch/launchers/elsewhere.h"

namespace rollcall::launch {
namespace {

/// Variables that decide which NCCL is loaded, or which way it takes.
bool decides_the_fabric(std::string_view name) {
  constexpr std::array<std::string_view, 6> kPrefixes{"NCCL_", "FI_", "UCX_", "OFI_", "RDMAV_", "CUDA_"};
  return name == "LD_LIBRARY_PATH" || name == "LD_PRELOAD" ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [name](std::string_view prefix) { return name.starts_with(prefix); });
}

const EnvEntry* last(const std::vector<EnvEntry>& env, const std::string& name) {
  const auto found = std::find_if(env.rbegin(), env.rend(), [&name](const EnvEntry& one) { return one.name == name; });
  return found == env.rend() ? nullptr : &*found;
}

/// Linux takes at most 128 KiB in one variable, in which they reach the probe as JSON; escapes take the rest.
constexpr std::size_t kMostExports = 32 * 1024;

void read_exports(const Role& role, bool sourced, Environment& environment) {
  const auto& handed = handed_over_env();
  for (const EnvEntry& entry : role.command.env) {
    // The operator's own values stand for more, and the roll call's names are nobody else's.
    if (last(handed, entry.name) != nullptr || entry.name.starts_with("ROLLCALL_")) continue;
    const EnvEntry* const container = last(role.env, entry.name);
    if (entry.value.known()) {
      if (container == nullptr || container->value.text != entry.value.text)
        environment.exports[entry.name] = entry.value.text;
      else
        environment.exports.erase(entry.name);
    } else if (decides_the_fabric(entry.name) && (container == nullptr || container->value.known()) && !sourced) {
      environment.elsewhere.push_back(fmt::format("the command sets {} at run time", entry.name));
    }
  }
}

void bound_exports(Environment& environment) {
  std::size_t sum = 0;
  for (const auto& [name, value] : environment.exports) sum += name.size() + value.size();
  if (sum <= kMostExports) return;
  environment.exports.clear();
  environment.elsewhere.push_back("the command exports more than 32 KiB");
}

/// Daemons that NCCL's plugin for GPUDirect-TCPX and -TCPXO talks to: Google's image names of both.
constexpr std::string_view kDaemon = "tcpgpudmarxd";

/// Native sidecars run before the probe; what stands in `containers` starts only when it has ended.
void read_daemons(const Role& role, Environment& environment) {
  const Field containers = role.pod_template["spec"]["containers"];
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (role.trainer.known() && *role.trainer == i) continue;
    const std::string name = containers[i]["name"].text();
    if (containers[i]["image"].text().find(kDaemon) == std::string::npos && !name.starts_with("tcpx")) continue;
    environment.missing.push_back(
        fmt::format("container `{}`, the fabric's daemon, starts only with the trainer; as an init container with "
                    "restartPolicy: Always it runs before",
                    name));
  }
}

}  // namespace

Environment environment_of(const Role& role) {
  Environment environment;
  const MountedFiles files(role.container, role.pod_template["spec"], {});
  std::string elsewhere = set_elsewhere(role.container, role.env, handed_over_env(), files);
  const bool sourced = !elsewhere.empty();  // then everything that the script names is open, for that one reason
  if (sourced) environment.elsewhere.push_back(std::move(elsewhere));
  read_exports(role, sourced, environment);
  bound_exports(environment);
  read_daemons(role, environment);
  return environment;
}

}  // namespace rollcall::launch
