#pragma once

#include <vector>

#include "roll_call/roll.h"

/// What differs between the nodes. Only what makes NCCL or the launcher fail is a failure (NCCL's version or build, a
/// net plugin on some nodes only, environment that must be equal); everything else that differs on healthy clusters too
/// is a warning.
namespace rollcall::roll_call {

/// `pods`: those with facts. A value that could not be read differs from nothing.
std::vector<api::NodeFinding> compare(const std::vector<const Pod*>& pods);

/// One value a node and who has it.
struct Group {
  std::string value;
  std::vector<const Pod*> pods;
};
/// The minority, not the list: "1 of 3 nodes has NCCL 2.21.5: gpu-04; the other 2 have NCCL 2.27.5". `groups` has at
/// least two. `noun` goes before each value ("NCCL "), a value of "" reads "no `noun`".
std::string minority(std::vector<Group> groups, const std::string& noun);

}  // namespace rollcall::roll_call
