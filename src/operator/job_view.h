#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "operator/decision.h"

namespace rollcall::operator_ {

/// What was observed, sorted by whose it is. Nothing is adopted by name or label alone: the job's uid as controller
/// decides. Points into the Observed it was made of.
struct JobView {
  int attempt = 1;                           ///< the current one: what the status says, at least 1
  int nnodes = 1;                            ///< of the roster when there is one, else of the spec
  const api::RollCall* roll_call = nullptr;  ///< of the current attempt
  std::map<int, const PodFacts*> pods;       ///< of the current attempt, by node rank, under the right name
  /// The job's own that stand in no place: former attempts, not in the roster, or, before there is one, not made by us.
  std::vector<const PodFacts*> others;
  std::vector<const PodFacts*> foreign;  ///< not the job's, but under a name that this attempt needs
  std::set<int> succeeded;               ///< node ranks of the current attempt whose trainers were seen to end well
  std::vector<const api::RollCall*> own_roll_calls;  ///< by attempt, ascending
  const api::RollCall* foreign_roll_call = nullptr;  ///< not the job's, but under the name that this attempt needs
};

JobView view_of(const Observed& observed);

/// "node rank 3 (ranks 24-31) on gpu-17", "node rank 3 (ranks 24-31)" without a node.
std::string place_words(int node_rank, int nproc_per_node, const std::string& node);

/// Ends a sentence that was put together from another's words, which may end in a stop of their own.
std::string with_stop(std::string words);

}  // namespace rollcall::operator_
