#include <algorithm>
#include <string>

#include "launch/rules/host_network/family.h"
#include "launch/rules/nccl_env/settings.h"

namespace rollcall::launch::rules {
namespace {

bool mentions(const Field& container, const std::string& text) {
  for (const char* list : {"command", "args"}) {
    for (std::size_t i = 0; i < container[list].size(); ++i)
      if (container[list][i].text().find(text) != std::string::npos) return true;
  }
  return false;
}

/// Whether a process group of gloo is likely: torch's launchers, and somebody who thought of interfaces or of gloo.
bool uses_gloo(const Role& role, const std::vector<Setting>& settings) {
  const auto& launcher = role.command.launcher;
  if (!launcher.known() || *launcher == "jax" || *launcher == "mpirun") return false;
  return find(settings, "NCCL_SOCKET_IFNAME") != nullptr || mentions(role.container, "gloo");
}

void check(const Launch& launch, Judgement& judgement) {
  if (!several_nodes(launch)) return;
  for (const Role& role : launch.roles) {
    const auto settings = settings_of(launch, role);
    if (!role.host_network || !uses_gloo(role, settings) || role.container["envFrom"].present()) continue;
    if (find(settings, "GLOO_SOCKET_IFNAME") != nullptr || mentions(role.container, "GLOO_SOCKET_IFNAME")) continue;
    // A script that sources a file may get it there.
    if (mentions(role.container, "source ")) continue;
    judgement.add(host_network_gloo_by_host_name, role.container["env"].path())
        .wrong("on the host network gloo offers the address that the node's own name resolves to, often 127.0.0.1.")
        .instead("Set GLOO_SOCKET_IFNAME to the whole name of the interface between the nodes.");
  }
}

}  // namespace

const Rule host_network_gloo_by_host_name{
    .id = "host-network/gloo-by-host-name",
    .severity = Severity::warn,
    .title = "gloo left to the node's name on the host network",
    .why =
        "Without GLOO_SOCKET_IFNAME gloo resolves its own host name and offers what comes back. A node's /etc/hosts "
        "mostly says 127.0.0.1 or 127.0.1.1, so each rank tells the others to call themselves. NCCL_SOCKET_IFNAME is "
        "not read by gloo.",
    .wrong = "hostNetwork: true with NCCL_SOCKET_IFNAME alone",
    .right = "hostNetwork: true with GLOO_SOCKET_IFNAME too",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
