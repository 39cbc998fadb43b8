#include <algorithm>

#include "launch/address.h"
#include "launch/rules/nccl_env/family.h"
#include "launch/rules/nccl_env/interface_names.h"
#include "launch/rules/nccl_env/settings.h"

namespace rollcall::launch::rules {
namespace {

bool is_address(const std::string& name) {
  const std::size_t dots = static_cast<std::size_t>(std::count(name.begin(), name.end(), '.'));
  return dots == 3 && name.find_first_not_of("0123456789./") == std::string::npos;
}

/// What is wrong with one name, as the end of a sentence; empty when nothing is.
std::string wrong_with(const std::string& name) {
  if (is_address(name)) return "`" + name + "` is an address, and NCCL looks for names";
  if (name.find_first_of(" \t") != std::string::npos) return "the blank belongs to the name `" + name + "`";
  if (name.starts_with('^') || name.starts_with('='))
    return "`" + name + "` is a name to NCCL: the sign counts at the front of the list only";
  if (name.find_first_of("*?[") != std::string::npos) return "NCCL knows no patterns such as `" + name + "`";
  return {};
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const auto settings = settings_of(launch, role);
    const Setting* setting = find(settings, "NCCL_SOCKET_IFNAME");
    if (setting == nullptr || !setting->known()) continue;
    for (const std::string& name : interface_names(setting->value.text).names) {
      const std::string wrong = wrong_with(name);
      if (wrong.empty()) continue;
      const std::string tidy = is_address(name) ? "" : tidied(setting->value.text);
      judgement.add(nccl_env_interface_list, setting->path)
          .wrong("NCCL_SOCKET_IFNAME `{}`: {}.", setting->value.text, wrong)
          .instead("Write {}.", tidy.empty() ? "the name of the interface, as `ip link` shows it" : "`" + tidy + "`")
          .patch(tidy.empty() ? "" : with_value(*setting, tidy));
      break;
    }
  }
}

}  // namespace

const Rule nccl_env_interface_list{
    .id = "nccl-env/interface-list",
    .severity = Severity::warn,
    .title = "a list of interfaces that NCCL does not understand as meant",
    .why =
        "NCCL_SOCKET_IFNAME is a list of beginnings of names, divided by commas without blanks. One ^ (all but these) "
        "or = (whole names) at the front is for the whole list. What matches no interface ends in \"no socket "
        "interface found\", or in another interface than the one that was meant.",
    .wrong = "NCCL_SOCKET_IFNAME: \"^lo,^docker\"",
    .right = "NCCL_SOCKET_IFNAME: \"^lo,docker\"",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
