#include <algorithm>

#include "launch/patch.h"
#include "launch/rules/rank/family.h"

namespace rollcall::launch::rules {
namespace {

bool names_the_index(const Field& container) {
  for (const char* list : {"command", "args"}) {
    for (std::size_t i = 0; i < container[list].size(); ++i)
      if (container[list][i].text().find("JOB_COMPLETION_INDEX") != std::string::npos) return true;
  }
  return false;
}

std::string indexed(const Launch& launch, int pods) {
  const Field spec = launch.root["spec"];
  nlohmann::json operations = nlohmann::json::parse(add_patch(spec["completionMode"].path(), "Indexed"));
  if (!spec["completions"].present())
    operations.push_back(nlohmann::json::parse(add_patch(spec["completions"].path(), pods))[0]);
  return operations.dump();
}

void check(const Launch& launch, Judgement& judgement) {
  const Field mode = launch.root["spec"]["completionMode"];
  if (mode.text() == "Indexed") return;
  for (const Role& role : launch.roles) {
    const auto& env = role.env;
    const bool defined =
        role.container["envFrom"].present() ||
        std::any_of(env.begin(), env.end(), [](const EnvEntry& entry) { return entry.name == "JOB_COMPLETION_INDEX"; });
    if (defined || !role.asks_for_many() || !role.command.launcher.known() || !names_the_index(role.container))
      continue;
    judgement.add(rank_index_of_a_job_without_one, mode.path())
        .wrong("the {} pods take their place from JOB_COMPLETION_INDEX, which only completionMode: Indexed gives.",
               *role.pods)
        .instead("Write completionMode: Indexed, and completions: {}.", *role.pods)
        .patch(indexed(launch, *role.pods));
  }
}

}  // namespace

const Rule rank_index_of_a_job_without_one{
    .id = "rank/index-of-a-job-without-one",
    .severity = Severity::deny,
    .title = "the completion index of a Job that is not Indexed",
    .why =
        "Only an Indexed Job gives its pods JOB_COMPLETION_INDEX and host names. In another one the node rank is empty "
        "or the same in every pod.",
    .wrong = "--node-rank=$(JOB_COMPLETION_INDEX) without completionMode: Indexed",
    .right = "the same with completionMode: Indexed",
    .check = check,
    .kinds = {JobKind::batch_job},
};

}  // namespace rollcall::launch::rules
