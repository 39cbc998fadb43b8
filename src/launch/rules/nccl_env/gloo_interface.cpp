#include <algorithm>
#include <array>

#include "launch/rules/nccl_env/family.h"
#include "launch/rules/nccl_env/interface_names.h"
#include "launch/rules/nccl_env/settings.h"

namespace rollcall::launch::rules {
namespace {

/// Beginnings of names, as one writes them for NCCL; no interface is called that.
constexpr std::array<std::string_view, 9> kBeginnings{"eth", "en", "ens", "enp", "eno", "ib", "bond", "wl", "net"};

std::string wrong_with(std::string_view text, bool several) {
  if (text.starts_with('^')) return "`^` leaves nothing out here, it is part of the name";
  if (text.starts_with('=')) return "`=` is part of the name here";
  for (const std::string& name : interface_names(text).names) {
    if (name.find_first_of(" \t*?") != std::string::npos) return "no interface is called `" + name + "`";
    if (std::find(kBeginnings.begin(), kBeginnings.end(), name) != kBeginnings.end())
      return "`" + name + "` is the beginning of a name, and a whole one is needed";
    if (name == "lo" && several) return "`lo` is the loopback: every node offers 127.0.0.1 to the others";
  }
  return {};
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const auto settings = settings_of(launch, role);
    for (const char* name : {"GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME"}) {
      const Setting* setting = find(settings, name);
      if (setting == nullptr || !setting->known()) continue;
      const std::string wrong = wrong_with(setting->value.text, several_nodes(launch));
      if (wrong.empty()) continue;
      judgement.add(nccl_env_gloo_interface, setting->path)
          .wrong("{} `{}`: {}.", name, setting->value.text, wrong)
          .instead("Write the whole name of the interface, as `ip link` shows it in the pod: eth0.");
    }
  }
}

}  // namespace

const Rule nccl_env_gloo_interface{
    .id = "nccl-env/gloo-interface",
    .severity = Severity::warn,
    .title = "gloo's interface written as if for NCCL",
    .why =
        "gloo and TensorPipe compare the whole name and know neither ^ nor = nor beginnings of names. The first gloo "
        "group, which torch makes for CPU tensors and barriers, ends in \"Unable to find address\".",
    .wrong = "GLOO_SOCKET_IFNAME: \"^lo\"",
    .right = "GLOO_SOCKET_IFNAME: eth0",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
