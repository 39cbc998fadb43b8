#include <algorithm>
#include <optional>
#include <vector>

#include "launch/kinds/shape.h"
#include "launch/rules/rank/family.h"

namespace rollcall::launch::rules {
namespace {

struct Ranks {
  long long first = 0;
  long long last = 0;
};

struct Taken {
  const Role* role = nullptr;
  Ranks ranks;
};

/// The ranks of the role's pods in the world at its master address; nullopt where they show only at run time or are
/// handed out.
std::optional<Ranks> ranks_of(const Launch& launch, const Role& role) {
  const Told& told = role.told;
  const bool handed_out = told.rendezvous.given() && (!told.rendezvous.known() || *told.rendezvous != "static");
  if (handed_out || !told.master.known() || !told.least_nodes.known() || *told.least_nodes < 2) return std::nullopt;
  if (!role.pods.known() || *role.pods < 1 || !told.node_rank.given()) return std::nullopt;
  if (told.node_rank.known()) {
    const auto rank = whole_number(*told.node_rank);
    return rank ? std::optional(Ranks{*rank, *rank}) : std::nullopt;
  }
  if (launch.index_variable.empty() || told.rank_variable != launch.index_variable) return std::nullopt;
  // In a LeaderWorkerSet the leader is index 0, of whichever template.
  const long long first = launch.kind == JobKind::leader_worker_set && !role.leads ? 1 : 0;
  return Ranks{first, first + *role.pods - 1};
}

void check(const Launch& launch, Judgement& judgement) {
  std::vector<Taken> before;
  for (std::size_t i = 0; i < launch.roles.size(); ++i) {
    const Role& role = launch.roles[i];
    const auto ranks = ranks_of(launch, role);
    if (!ranks) continue;
    const Field copies = launch.root["spec"]["replicatedJobs"][i]["replicas"];
    if (launch.kind == JobKind::job_set && copies.is_integer() && copies.json().get<long long>() > 1 &&
        *role.told.least_nodes > *role.pods) {
      judgement.add(rank_same_rank_twice, role.told.node_rank.path())
          .wrong("each of the {} Jobs of `{}` has the same indexes 0 to {}, so {} pods share each rank.",
                 copies.json().dump(), role.name, *role.pods - 1, copies.json().dump())
          .instead("Write one Job of more pods, or count in the label jobset.sigs.k8s.io/job-index by a fieldRef.");
      return;
    }
    for (const auto& [earlier, taken] : before) {
      const Role& other = *earlier;
      if (*other.told.master != *role.told.master || *other.told.least_nodes != *role.told.least_nodes) continue;
      const auto& port = role.told.port;
      if (port.known() && other.told.port.known() && *port != *other.told.port)
        continue;  // two worlds, or another rule's
      const long long shared = std::max(ranks->first, taken.first);
      if (shared > std::min(ranks->last, taken.last)) continue;
      judgement.add(rank_same_rank_twice, role.told.node_rank.path())
          .wrong("a pod of `{}` is rank {} at `{}`, and so is one of `{}`.", role.name, shared, *role.told.master,
                 other.name)
          .instead("Count the pods of `{}` from {} on.", role.name, taken.last + 1);
      return;
    }
    before.push_back({&role, *ranks});
  }
}

}  // namespace

const Rule rank_same_rank_twice{
    .id = "rank/same-rank-twice",
    .severity = Severity::deny,
    .title = "two pods of one world with the same rank",
    .why =
        "Each rank of a world belongs to one pod. Two that claim the same one disturb each other, and the rank that is "
        "left over never comes: the group waits for it.",
    .wrong = "--node-rank=0 in one role and --node-rank=$(JOB_COMPLETION_INDEX) in the other",
    .right = "--node-rank=$((JOB_COMPLETION_INDEX + 1)) in the other",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
