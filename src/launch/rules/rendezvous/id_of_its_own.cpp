#include <algorithm>
#include <array>
#include <string>

#include "launch/rules/command_text.h"
#include "launch/rules/rendezvous/family.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

constexpr std::array kOwnFields{"metadata.name", "metadata.uid", "status.podIP", "status.podIPs"};

/// Whether each pod of the role has a value of its own for the variable.
bool is_own(const Launch& launch, const Role& role, const std::string& variable) {
  if (variable.empty()) return false;
  const Field env = role.container["env"];
  for (std::size_t i = 0; i < env.size(); ++i) {
    if (env[i]["name"].text() != variable) continue;
    const std::string field = env[i]["valueFrom"]["fieldRef"]["fieldPath"].text();
    return std::find(kOwnFields.begin(), kOwnFields.end(), field) != kOwnFields.end();
  }
  return variable == "RANDOM" || variable == "SRANDOM" || (variable == "HOSTNAME" && !role.host_network) ||
         variable == launch.index_variable;
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Flag* flag = role.command.flag("--rdzv-id");
    if (!role.command.by_torchrun() || flag == nullptr || flag->value.known()) continue;
    if (!several(role) || !role.asks_for_many() || role.command.flag("--standalone") != nullptr ||
        !is_own(launch, role, flag->value.source))
      continue;
    judgement.add(rendezvous_id_of_its_own, flag->path)
        .wrong("{} is taken from `{}`, which is another one in each of the {} pods.", flag->spelled, flag->value.source,
               *role.pods)
        .instead("Write one id for all, like {}{}{}.", flag->spelled, flag->joint, launch.object.name)
        .patch(launch.object.name.empty() ? "" : replace_flag_patch(role, *flag, launch.object.name));
  }
}

}  // namespace

const Rule rendezvous_id_of_its_own{
    .id = "rendezvous/id-of-its-own",
    .severity = Severity::deny,
    .title = "a rendezvous id that differs from pod to pod",
    .why =
        "Nodes meet under one id. With an id that each pod makes for itself every one is alone in a rendezvous of its "
        "own and waits for the others until its deadline.",
    .wrong = "torchrun --rdzv-id=$RANDOM",
    .right = "torchrun --rdzv-id=llama",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
