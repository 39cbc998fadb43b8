#include "launch/kinds/shape.h"
#include "launch/rules/torchrun/family.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Flag* flag = role.command.flag("--max-restarts");
    if (!role.command.by_torchrun() || flag == nullptr || !flag->value.known()) continue;
    const auto restarts = whole_number(flag->value.text);
    if (!restarts || *restarts < 1 || role.command.flag("--standalone") != nullptr) continue;
    const bool ours = launch.kind == JobKind::training_job;
    const auto& rendezvous = role.told.rendezvous;
    if (ours ? role.command.flag("--rdzv-backend") != nullptr : !rendezvous.known() || *rendezvous != "static")
      continue;
    if (ours ? !role.nodes.known() || *role.nodes < 2 : !several(role)) continue;
    judgement.add(torchrun_restarts_with_static_rendezvous, flag->path)
        .wrong("`{}`: a node that starts anew does not tell the others, which wait for it in their collectives.",
               flag->written())
        .instead("{}", ours ? "Leave it out: the job is started anew as a whole."
                            : "Leave it out, or write --rdzv-backend=c10d with --rdzv-endpoint.")
        .patch(flag->patch);
  }
}

}  // namespace

const Rule torchrun_restarts_with_static_rendezvous{
    .id = "torchrun/restarts-with-static-rendezvous",
    .severity = Severity::warn,
    .title = "restarts of one node that the others do not hear of",
    .why =
        "With the static rendezvous each torchrun starts its own processes anew when one fails, and tells nobody. The "
        "other nodes stay in their collectives until a deadline ends them, 10 min by default, and the restarts run out "
        "of step.",
    .wrong = "torchrun --max-restarts=3 with the static rendezvous of two nodes",
    .right = "torchrun --max-restarts=3 --rdzv-backend=c10d, or no --max-restarts",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
