// LeaderWorkerSet: each group of `size` pods is a world of its own. The controller gives LWS_LEADER_ADDRESS,
// LWS_GROUP_SIZE and LWS_WORKER_INDEX to all containers that do not have them.
#include "launch/kinds/other_kinds.h"
#include "launch/kinds/pods.h"

namespace rollcall::launch {

std::optional<Launch> read_leader_worker_set(const nlohmann::json& object, const Context& around) {
  Launch launch = launch_of(object, JobKind::leader_worker_set, around);
  const Field spec = launch.root["spec"]["leaderWorkerTemplate"];
  const Fact<int> size = count_of(spec["size"], 1);
  const bool leader = spec["leaderTemplate"].is_object();
  constexpr auto kWho = "LeaderWorkerSet controller";
  std::vector<EnvEntry> names{given_at_run_time("LWS_LEADER_ADDRESS", kWho),
                              given_at_run_time("LWS_WORKER_INDEX", kWho)};
  if (size.known()) names.push_back(given("LWS_GROUP_SIZE", std::to_string(*size), size.path()));
  launch.nodes_decided = true;
  launch.index_variable = "LWS_WORKER_INDEX";
  launch.rank_advice = "Write `$(LWS_WORKER_INDEX)`.";
  launch.master_advice = "Write `$(LWS_LEADER_ADDRESS)`.";
  const auto add = [&](const char* name, const char* field, const Fact<int>& pods, bool leads) {
    Role role = read_role({name, spec[field], "", names, false}, launch);
    role.pods = pods;
    role.nodes = size;
    role.leads = leads;
    launch.roles.push_back(std::move(role));
  };
  if (leader) add("leader", "leaderTemplate", Fact<int>::of(1, spec["leaderTemplate"].path()), true);
  const Fact<int> workers = leader && size.known() ? Fact<int>::of(std::max(0, *size - 1), size.path()) : size;
  add("worker", "workerTemplate", workers, !leader);
  return trains(launch) ? std::optional(std::move(launch)) : std::nullopt;
}

}  // namespace rollcall::launch
