#include <algorithm>

#include "launch/rules/nccl_env/family.h"
#include "launch/rules/nccl_env/interface_names.h"
#include "launch/rules/nccl_env/settings.h"

namespace rollcall::launch::rules {
namespace {

/// `^a,b` leaves out the beginnings of interfaces, `^=a,b` whole names.
bool readmits(const InterfaceNames& read) {
  return read.except && std::none_of(read.names.begin(), read.names.end(), [&read](const std::string& name) {
           return name == "lo" || (!read.exact && name == "l");
         });
}

void check(const Launch& launch, Judgement& judgement) {
  if (!several_nodes(launch)) return;
  for (const Role& role : launch.roles) {
    const auto settings = settings_of(launch, role);
    const Setting* setting = find(settings, "NCCL_SOCKET_IFNAME");
    if (setting == nullptr || !setting->known() || !readmits(interface_names(setting->value.text))) continue;
    // Of IPv6 NCCL passes the loopback over whatever the list says.
    const Setting* family = find(settings, "NCCL_SOCKET_FAMILY");
    if (family != nullptr && (!family->known() || family->value.text == "AF_INET6")) continue;
    const std::string& text = setting->value.text;
    judgement.add(nccl_env_loopback_readmitted, setting->path)
        .wrong("NCCL_SOCKET_IFNAME `{}` takes the place of NCCL's own exclusions, so the loopback is used.", text)
        .instead("Write `{},lo`, or leave it out.", text)
        .patch(with_value(*setting, text + ",lo"));
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
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
