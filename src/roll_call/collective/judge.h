#pragma once

#include <vector>

#include "roll_call/collective/plan.h"
#include "roll_call/roll.h"

/// What the ranks' results say, as findings. Pure. A node is named as broken (NodeFinding.node_ranks) only on proof
/// that lies in it alone: a driver call that does not end, a child that died, a rank that had not come as far as NCCL.
/// What needs two nodes to fail names nobody here: localisation does.
namespace rollcall::roll_call {

/// What one node brought.
struct Ran {
  const Pod* pod = nullptr;
  const std::vector<RankResult>* ranks = nullptr;
  std::size_t expected = 0;  ///< ranks it was ordered to run
};

struct Judgement {
  std::vector<api::NodeFinding> findings;
  /// A rank's child cannot be started at all, in the words of the first: the collective did not run.
  std::string not_started;
  /// Failures that localisation can say more about; by node rank.
  std::vector<int> failed;
  /// The same local proof or the same error everywhere: looking at pairs would tell nothing.
  bool explained = false;
  bool jobs_own = false;  ///< the job's own cause, the same on every node

  bool clean() const { return findings.empty() && not_started.empty(); }
};

/// Each node by itself: the in-node collective. `Ran` without results are passed over, they have their own finding.
Judgement judge_nodes(const Roll& roll, const std::vector<Ran>& ran);
/// All nodes as one: the job-wide collective.
Judgement judge_job(const Roll& roll, const std::vector<Ran>& ran);

/// Every rank's result is there and sound.
bool sound(const Ran& ran);
/// How it failed, for a clause: "hung in ncclCommInitRank for 41 s", "unhandled cuda error", "a wrong sum: …"; of the
/// rank that tells most.
std::string how_it_failed(const std::vector<Ran>& ran);
/// The smallest bus bandwidth of the ranks that measured one; 0 = none did.
double bus_gbytes(const std::vector<RankResult>& ranks);

}  // namespace rollcall::roll_call
