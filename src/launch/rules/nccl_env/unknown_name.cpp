#include "launch/rules/nccl_env/family.h"
#include "launch/rules/nccl_env/names.h"
#include "launch/rules/nccl_env/settings.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    for (const Setting& setting : settings_of(launch, role)) {
      if (!setting.name.starts_with("NCCL") || known_nccl_name(setting.name)) continue;
      const std::string near(nearest_nccl_name(setting.name));
      if (near.empty()) continue;
      judgement.add(nccl_env_unknown_name, setting.entry.empty() ? setting.path : setting.entry + ".name")
          .wrong("nothing reads {}.", setting.name)
          .instead("Write {}.", near)
          .patch(with_name(setting, near));
    }
  }
}

}  // namespace

const Rule nccl_env_unknown_name{
    .id = "nccl-env/unknown-name",
    .severity = Severity::warn,
    .title = "a setting of NCCL that is misspelt",
    .why =
        "NCCL looks up the names it knows and never sees any other. The job runs as if the line were not there: on the "
        "wrong interface, or without the fabric.",
    .wrong = "NCCL_SOCKET_IFNAMES: eth0",
    .right = "NCCL_SOCKET_IFNAME: eth0",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
