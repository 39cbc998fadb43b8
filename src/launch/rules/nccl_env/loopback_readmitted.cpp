#include <algorithm>

#include "launch/rules/nccl_env/family.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

/// `^a,b` names the beginnings of interfaces, `^=a,b` whole names.
bool readmits(const std::string& text) {
  if (!text.starts_with('^')) return false;
  const bool exact = text.starts_with("^=");
  for (std::size_t at = exact ? 2 : 1; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string name = text.substr(at, comma - at);
    if (name == "lo" || (!exact && name == "l")) return false;
    at = comma + 1;
  }
  return true;
}

void check(const Launch& launch, Judgement& judgement) {
  const bool several_pods = std::any_of(launch.roles.begin(), launch.roles.end(),
                                        [](const Role& role) { return role.nodes.known() && *role.nodes > 1; });
  for (const Role& role : launch.roles) {
    if (!several_pods && !several(role)) continue;
    for (const auto* entries : {&role.env, &role.command.exported}) {
      for (const EnvEntry& entry : *entries) {
        if (entry.name != "NCCL_SOCKET_IFNAME" || !entry.value.known() || !readmits(entry.value.text)) continue;
        judgement.add(nccl_env_loopback_readmitted, entry.value_path)
            .wrong("NCCL_SOCKET_IFNAME `{}` takes the place of NCCL's own exclusions, so the loopback is used.",
                   entry.value.text)
            .instead("Write `{},lo`, or leave it out.", entry.value.text);
      }
    }
  }
}

}  // namespace

const Rule nccl_env_loopback_readmitted{
    .id = "nccl-env/loopback-readmitted",
    .severity = Severity::deny,
    .title = "an exclusion list of NCCL that lets the loopback in",
    .why =
        "NCCL leaves lo and docker out by itself; a list that begins with ^ takes the place of that, it does not add "
        "to it. Then lo is the first interface found, and every node offers 127.0.0.1 to the others.",
    .wrong = "NCCL_SOCKET_IFNAME: \"^docker0\"",
    .right = "NCCL_SOCKET_IFNAME: \"^docker0,lo\"",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
