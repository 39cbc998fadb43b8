#pragma once

#include <set>
#include <string>
#include <string_view>

#include "launch/pod/job_plan.h"

namespace rollcall::cli {

using Names = std::set<std::string, std::less<>>;

/// `text` of a pod as one word of bash: `$(NAME)` of a known name as that variable, `$$` as a dollar, all else literal.
std::string bash_word(std::string_view text, const Names& known);

/// The value of variable number `at` over all nodes as a word of bash in which NODE_RANK stands for the node: a number
/// that grows with the node rank as an expression of it. nullptr-like empty string when the nodes differ otherwise.
std::string over_nodes(const launch::JobPlan& plan, std::size_t at, const Names& known);

/// Lines that export a TrainingJob's environment, NODE_RANK and MASTER_ADDR being set before, and its command on the
/// last.
std::string node_script(const launch::JobPlan& plan, const std::string& indent);

/// What must be set by hand before, one comment line each; empty when nothing must.
std::string by_hand(const launch::JobPlan& plan);

}  // namespace rollcall::cli
