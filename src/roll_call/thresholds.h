#pragma once

#include <vector>

#include "roll_call/roll.h"

namespace rollcall::roll_call {

/// The nodes that have less than a RollcallPolicy asks for. These fail, unlike what merely differs: the cluster's owner
/// has said what is too little. `pods`: those with facts.
std::vector<api::NodeFinding> below_thresholds(const std::vector<const Pod*>& pods, const api::Thresholds& thresholds);

}  // namespace rollcall::roll_call
