#include <algorithm>

#include "launch/rules/nccl_env/family.h"
#include "launch/rules/nccl_env/interface_names.h"
#include "launch/rules/nccl_env/settings.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  if (!several_nodes(launch)) return;
  for (const Role& role : launch.roles) {
    const auto settings = settings_of(launch, role);
    const Setting* setting = find(settings, "NCCL_SOCKET_IFNAME");
    if (setting == nullptr || !setting->known()) continue;
    const InterfaceNames read = interface_names(setting->value.text);
    const bool loopback =
        std::all_of(read.names.begin(), read.names.end(), [](const auto& name) { return name == "lo"; });
    if (read.except || read.names.empty() || !loopback) continue;
    judgement.add(nccl_env_loopback_interface, setting->path)
        .wrong("NCCL_SOCKET_IFNAME `{}` is the loopback: every node offers 127.0.0.1 to the others.",
               setting->value.text)
        .instead("Take it out: NCCL passes the loopback over by itself.")
        .patch(without(*setting));
  }
}

}  // namespace

const Rule nccl_env_loopback_interface{
    .id = "nccl-env/loopback-interface",
    .severity = Severity::deny,
    .title = "NCCL told to meet the other nodes on the loopback",
    .why =
        "NCCL takes the interface it is told and complains of nothing. Every rank hands the others the address "
        "127.0.0.1, and each node waits for itself.",
    .wrong = "NCCL_SOCKET_IFNAME: lo with four nodes",
    .right = "no NCCL_SOCKET_IFNAME",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
