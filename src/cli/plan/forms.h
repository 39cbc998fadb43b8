#pragma once

#include <string>

#include "base/result.h"
#include "launch/pod/job_plan.h"

/// The forms of `rollcall plan`. Pure.
namespace rollcall::cli {

/// For a person: what each node runs and is told. Variables that are the same on all nodes are shown once.
std::string plan_text(const launch::JobPlan& plan);

/// A bash script that starts one node: `MASTER_ADDR=ADDRESS bash plan.sh NODE_RANK`. An Error for a job whose ranks the
/// manifest does not decide.
Result<std::string> plan_shell(const launch::JobPlan& plan);

/// The same for Slurm: a batch script that starts a node's command once on every node of the allocation.
Result<std::string> plan_sbatch(const launch::JobPlan& plan);

}  // namespace rollcall::cli
