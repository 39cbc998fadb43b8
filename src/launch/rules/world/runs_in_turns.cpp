#include <string>

#include "launch/kinds/pods.h"
#include "launch/patch.h"
#include "launch/rules/world/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (std::size_t i = 0; i < launch.roles.size(); ++i) {
    const Role& role = launch.roles[i];
    const Field spec = job_spec_of(launch, i);
    const Field completions = spec["completions"];
    const auto& nodes = role.told.least_nodes;
    if (!completions.is_integer() || !role.pods.known() || !nodes.known() || *nodes < 2) continue;
    // Fewer pods than nodes may be meant: other Jobs have the rest.
    if (completions.json().get<long long>() != *nodes || *role.pods >= *nodes || *role.pods < 1) continue;
    const std::string path = spec["parallelism"].path();
    judgement.add(world_runs_in_turns, path)
        .wrong("{} of the {} pods start, and the others when these have ended; but they wait for all {} nodes.",
               *role.pods, *nodes, *nodes)
        .instead("Write parallelism: {}.", *nodes)
        .patch(add_patch(path, *nodes));
  }
}

}  // namespace

const Rule world_runs_in_turns{
    .id = "world/runs-in-turns",
    .severity = Severity::deny,
    .title = "a world of which a part starts when another has ended",
    .why =
        "A Job starts as many pods as parallelism says, and the next ones when some have ended. The first wait for all "
        "nodes of the world, so none ends.",
    .wrong = "completions: 4 and parallelism: 2 with torchrun --nnodes=4",
    .right = "parallelism: 4",
    .check = check,
    .kinds = {JobKind::batch_job, JobKind::job_set},
};

}  // namespace rollcall::launch::rules
