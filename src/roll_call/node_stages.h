#pragma once

#include <cstdint>
#include <vector>

#include "roll_call/roll.h"

namespace rollcall::roll_call {

/// How each node stands in each stage of this round. One pass over the findings, so that 1,000 nodes by 13 stages do
/// not each look through them. Refers to the Roll: lives shorter.
class NodeStages {
 public:
  explicit NodeStages(const Roll& roll);

  /// A node that was named in a failing finding of the stage has Failed, whatever the others did.
  StageState of(const Pod& pod, Stage stage) const;
  /// The first failing finding that names the node; nullptr = none.
  const StageFinding* failure_of(const Pod& pod) const;

 private:
  const Roll& roll_;
  std::vector<std::uint32_t> failed_;  ///< by node rank: a bit a stage
  std::vector<const StageFinding*> first_;
};

}  // namespace rollcall::roll_call
