#include <array>
#include <string_view>

#include "launch/rules/nccl_env/family.h"
#include "launch/rules/nccl_env/settings.h"

namespace rollcall::launch::rules {
namespace {

struct Switch {
  std::string_view name;
  bool within_node;  ///< it is about processes of one node
  std::string_view costs;
};

constexpr std::array kSwitches{
    Switch{"NCCL_IB_DISABLE", false, "InfiniBand and RoCE stay unused, and everything between nodes goes over TCP"},
    Switch{"NCCL_P2P_DISABLE", true, "NVLink and PCIe stay unused, and GPUs of one node pass data through the host"},
    Switch{"NCCL_SHM_DISABLE", true, "processes of one node that have no NVLink talk over the network"},
};

/// Where the network is not NCCL's own InfiniBand, the switch is without effect: EFA, and Google's TCPX and TCPXO.
bool other_fabric(const Launch& launch, const std::vector<Setting>& settings) {
  for (const Role& role : launch.roles)
    if (role.container["resources"]["limits"]["vpc.amazonaws.com/efa"].present()) return true;
  for (const Setting& one : settings)
    if (one.name.starts_with("FI_") || one.name.starts_with("NCCL_FASTRAK_") ||
        one.name.starts_with("NCCL_GPUDIRECTTCPX_"))
      return true;
  return false;
}

/// Whether what is switched off would be used at all.
bool matters(const Launch& launch, const Role& role, const Switch& one, const std::vector<Setting>& settings) {
  if (!one.within_node) return several_nodes(launch) && !other_fabric(launch, settings);
  // The Launcher of an MPIJob has no devices; the Workers have.
  for (const Role& other : launch.roles)
    if (other.gpus_per_pod.known() && *other.gpus_per_pod > 1 && (&other == &role || launch.kind == JobKind::mpi_job))
      return true;
  return false;
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const auto settings = settings_of(launch, role);
    for (const Switch& one : kSwitches) {
      const Setting* setting = find(settings, one.name);
      if (setting == nullptr || !setting->known() || setting->value.text != "1") continue;
      if (!matters(launch, role, one, settings)) continue;
      judgement.add(nccl_env_left_over, setting->path)
          .wrong("{} is 1: {}.", one.name, one.costs)
          .instead("Take it out; where the hardware is not there, NCCL finds that out by itself.")
          .patch(without(*setting));
    }
  }
}

}  // namespace

const Rule nccl_env_left_over{
    .id = "nccl-env/left-over",
    .severity = Severity::warn,
    .title = "a transport that was switched off, probably while looking for a fault",
    .why =
        "NCCL_IB_DISABLE, NCCL_P2P_DISABLE and NCCL_SHM_DISABLE are set to find out which transport hangs. Left in, "
        "they hide the fault and the job runs at a fraction of its speed, or two nodes that differ in them wait for "
        "each other.",
    .wrong = "NCCL_IB_DISABLE: \"1\"",
    .right = "no NCCL_IB_DISABLE",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
