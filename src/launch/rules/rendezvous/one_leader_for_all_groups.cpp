#include <string>
#include <utility>

#include "launch/kinds/shape.h"
#include "launch/rules/command_text.h"
#include "launch/rules/rendezvous/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Field groups = launch.root["spec"]["replicas"];
  if (!groups.is_integer() || groups.json().get<long long>() < 2 || launch.object.name.empty()) return;
  for (const Role& role : launch.roles) {
    const Fact<std::string>& master = role.told.master;
    const auto& nodes = role.told.least_nodes;
    if (!master.known() || !nodes.known() || *nodes < 2 || judgement.denied(master.path())) continue;
    const std::string host = master->substr(0, master->find('.'));
    if (!host.starts_with(launch.object.name + "-") || !whole_number(host.substr(launch.object.name.size() + 1)))
      continue;
    // All groups may be one world on purpose.
    if (!role.nodes.known() || *nodes != *role.nodes) continue;
    std::string patch;
    for (const auto& [name, flag] : role.command.flags)
      if (flag.path == master.path() && flag.value.text == *master)
        patch = replace_flag_patch(role, flag, "$(LWS_LEADER_ADDRESS)");
    judgement.add(rendezvous_one_leader_for_all_groups, master.path())
        .wrong("{}`{}` is the leader of one group, and the pods of all {} groups call it.", role.told.master_what,
               *master, groups.json().dump())
        .instead("Write $(LWS_LEADER_ADDRESS).")
        .patch(std::move(patch));
  }
}

}  // namespace

const Rule rendezvous_one_leader_for_all_groups{
    .id = "rendezvous/one-leader-for-all-groups",
    .severity = Severity::deny,
    .title = "the leader of one group as the address of all",
    .why =
        "Each group of a LeaderWorkerSet is a world of its own. With the name of one leader in the template the pods "
        "of all groups come to it, and each rank is there several times.",
    .wrong = "--master-addr=llama-0.llama with replicas: 2",
    .right = "--master-addr=$(LWS_LEADER_ADDRESS)",
    .check = check,
    .kinds = {JobKind::leader_worker_set},
};

}  // namespace rollcall::launch::rules
