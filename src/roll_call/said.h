#pragma once

#include <string>
#include <vector>

#include "roll_call/roll.h"

namespace rollcall::roll_call {

/// What is wrong with one node, as a clause ("GPU 3 waits for a reset"). Inside of roll_call/ only.
struct Said {
  const Pod* pod = nullptr;
  std::string what;
};

/// One finding for all nodes that `said` names (not empty): those that say the same are named together, of many
/// different clauses the first few are shown: "gpu-17 (node rank 3, ranks 24-31): …; gpu-18 …: …. ADVICE". `advice` is
/// without the full stop.
api::NodeFinding finding_of(std::string rule, std::string severity, std::string owner, const std::vector<Said>& said,
                            const std::string& advice);

/// "cuInit for 120 s", whether a probe says it so or as "in cuInit for 120 s".
std::string without_in(const std::string& stopped_in);

}  // namespace rollcall::roll_call
