#include <algorithm>
#include <string>

#include "launch/handed_over.h"
#include "launch/patch.h"
#include "launch/rules/env/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const std::string launcher = role.command.launcher.known() ? *role.command.launcher : "unknown";
    const int processes = role.processes_per_node.known() ? *role.processes_per_node : 2;
    const auto names = handed_over_names(launcher, processes);
    for (const EnvEntry& entry : role.env) {
      if (std::find(names.begin(), names.end(), entry.name) == names.end() || judgement.denied(entry.value_path))
        continue;
      judgement.add(env_handed_over_name, entry.path)
          .wrong("env {} is handed over by the operator; the entry here is left out.", entry.name)
          .instead("Take the entry out.")
          .patch(remove_patch(entry.path));
    }
  }
}

}  // namespace

const Rule env_handed_over_name{
    .id = "env/handed-over-name",
    .severity = Severity::warn,
    .title = "an env entry of a name that the operator hands over",
    .why =
        "The operator hands every rank one true set of launch values, first in its env. The manifest's own entry of "
        "the same name is left out: it has no effect.",
    .wrong = "env NNODES: \"4\"",
    .right = "no entry NNODES",
    .check = check,
};

}  // namespace rollcall::launch::rules
