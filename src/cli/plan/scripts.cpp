#include <fmt/format.h>

#include "cli/plan/forms.h"
#include "cli/plan/words.h"

namespace rollcall::cli {
namespace {

using launch::JobPlan;

std::string head(const JobPlan& plan) {
  return fmt::format("# TrainingJob {}: {} node{} with {} process{} each, image {}.\n", plan.name, plan.nnodes,
                     plan.nnodes == 1 ? "" : "s", plan.nproc_per_node, plan.nproc_per_node == 1 ? "" : "es",
                     plan.image.empty() ? "not named" : plan.image);
}

/// Says what is in the way of a script; empty = nothing.
std::string obstacle(const JobPlan& plan) {
  if (!plan.ours)
    return fmt::format("a script is made of a TrainingJob alone: the ranks of a {} are given by its controller",
                       plan.kind);
  if (plan.nodes.empty()) return "the job has no node";
  if (plan.nodes.front().command.empty())
    return "the trainer container has no command: the image's own runs, which is not in the manifest";
  return {};
}

}  // namespace

Result<std::string> plan_shell(const JobPlan& plan) {
  if (const std::string why = obstacle(plan); !why.empty()) return Error{why};
  return fmt::format(
      "#!/usr/bin/env bash\n{}# On each node: MASTER_ADDR=ADDRESS_OF_NODE_RANK_0 bash plan.sh NODE_RANK\n{}set -euo "
      "pipefail\nNODE_RANK=\"${{1:?node rank, 0 to {}}}\"\n: \"${{MASTER_ADDR:?the address of node rank 0}}\"\n{}",
      head(plan), by_hand(plan), plan.nnodes - 1, node_script(plan, ""));
}

Result<std::string> plan_sbatch(const JobPlan& plan) {
  if (const std::string why = obstacle(plan); !why.empty()) return Error{why};
  const std::string gpus =
      plan.gpus_per_node > 0 ? fmt::format("#SBATCH --gpus-per-node={}\n", plan.gpus_per_node) : "";
  return fmt::format(
      "#!/usr/bin/env bash\n#SBATCH --job-name={}\n#SBATCH --nodes={}\n#SBATCH --ntasks-per-node=1\n{}{}{}set -euo "
      "pipefail\nMASTER_ADDR=\"$(scontrol show hostnames \"$SLURM_JOB_NODELIST\")\"\n"
      "export MASTER_ADDR=\"${{MASTER_ADDR%%$'\\n'*}}\"\nrollcall_node() {{\n  "
      "NODE_RANK=\"$SLURM_NODEID\"\n{}}}\nexport -f rollcall_node\nsrun "
      "--kill-on-bad-exit=1 bash -c "
      "rollcall_node\n",
      plan.name, plan.nnodes, gpus, head(plan), by_hand(plan), node_script(plan, "  "));
}

}  // namespace rollcall::cli
