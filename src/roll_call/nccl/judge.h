#pragma once

#include <string>
#include <vector>

#include "roll_call/roll.h"

/// What the NCCL facts of the nodes mean: the rules of the Nccl stage, each over all nodes. Pure; inside of roll_call/
/// only.
namespace rollcall::roll_call {

/// The library that was loaded: no answer, not loadable, version and build that differ, plugin on some nodes only. What
/// the comparison of files has found already is not said again.
std::vector<api::NodeFinding> judge_library(const Roll& roll);
/// The interface NCCL will choose.
std::vector<api::NodeFinding> judge_interface(const Roll& roll);
/// RDMA devices, locked memory. Failures only where the pod asks for an RDMA resource.
std::vector<api::NodeFinding> judge_rdma(const Roll& roll);

/// "NCCL 2.27.5 on eth0"; of the most common node, "(simulated)" where a double stood in; empty when nothing is known.
std::string nccl_remark(const Roll& roll);

}  // namespace rollcall::roll_call
