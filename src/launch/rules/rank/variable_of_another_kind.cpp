#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "launch/rules/command_text.h"
#include "launch/rules/rank/family.h"

namespace rollcall::launch::rules {
namespace {

struct Given {
  std::string_view name;
  std::string_view whose;
  JobKinds kinds;  ///< that give it, or of which another rule speaks
};

constexpr JobKinds kJobs{JobKind::batch_job, JobKind::job_set};
constexpr JobKinds kGroups{JobKind::leader_worker_set};
constexpr std::array kGiven{
    Given{"JOB_COMPLETION_INDEX", "Indexed Job", kJobs},
    Given{"LWS_WORKER_INDEX", "LeaderWorkerSet", kGroups},
    Given{"LWS_LEADER_ADDRESS", "LeaderWorkerSet", kGroups},
    Given{"LWS_GROUP_SIZE", "LeaderWorkerSet", kGroups},
    Given{"VC_TASK_INDEX", "Volcano Job", JobKinds{JobKind::volcano_job}},
    Given{"VK_TASK_INDEX", "Volcano Job", JobKinds{JobKind::volcano_job}},
};

/// The element of command or args, behind the launcher's own, that names the variable; empty for a script's text.
std::string in_exec_form(const Role& role, const std::string& text) {
  for (const char* list : {"command", "args"}) {
    const Field elements = role.container[list];
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const std::string element = elements[i].text();
      const std::size_t at = element.find(text);
      if (at == std::string::npos || element.find_first_of(" \t\n") != std::string::npos) continue;
      if (at == 0 || element[at - 1] != '$') return elements[i].path();
    }
  }
  return {};
}

/// The name of the group's controller in an element of its own that this controller does not give: `$(LWS_POD_INDEX)`.
/// A shell would look it up elsewhere; here it stays as it is written.
std::string misnamed(const std::string& element) {
  const std::size_t at = element.find("$(LWS_");
  const std::size_t end = element.find(')', at);
  if (at == std::string::npos || end == std::string::npos || element.find_first_of(" \t\n") != std::string::npos)
    return {};
  if (at > 0 && element[at - 1] == '$') return {};
  const std::string name = element.substr(at + 2, end - at - 2);
  const bool there =
      std::any_of(kGiven.begin(), kGiven.end(), [&name](const Given& given) { return given.name == name; });
  return there ? std::string() : name;
}

void look_for_misnamed(const Launch& launch, const Role& role, Judgement& judgement) {
  for (const char* flag_name : {"--node-rank", "--nnodes", "--machine-rank", "--num-machines"}) {
    const Flag* flag = role.command.flag(flag_name);
    if (flag == nullptr || flag->value.known()) continue;
    for (const char* list : {"command", "args"}) {
      for (std::size_t i = 0; i < role.container[list].size(); ++i) {
        const Field element = role.container[list][i];
        const std::string name = element.path() == flag->path ? misnamed(element.text()) : std::string();
        if (name.empty() || may_have_env(role, name)) continue;
        judgement.add(rank_variable_of_another_kind, flag->path)
            .wrong("`{}` is none of the variables of a {}, and stays as it is written.", name, launch.object.kind)
            .instead("Write $(LWS_WORKER_INDEX), $(LWS_GROUP_SIZE) or $(LWS_LEADER_ADDRESS).");
      }
    }
  }
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    if (!role.command.launcher.known()) continue;
    if (launch.kind == JobKind::leader_worker_set) look_for_misnamed(launch, role, judgement);
    for (const Given& given : kGiven) {
      const std::string name(given.name);
      if (given.kinds.has(launch.kind) || may_have_env(role, name)) continue;
      // In exec form the kubelet leaves what it does not know; in a script only the launcher's own flag counts.
      const std::string exec = in_exec_form(role, "$(" + name + ")");
      const bool script = role.told.rank_variable == name && !mentions(role.container, name + "=") &&
                          !mentions(role.container, "read ");
      if (exec.empty() && !script) continue;
      const std::string path = exec.empty() ? role.told.node_rank.path() : exec;
      judgement.add(rank_variable_of_another_kind, path)
          .wrong("`{}` is given to the pods of a {}, and nobody gives it to those of this {}.", name, given.whose,
                 launch.object.kind)
          .instead("{}", launch.rank_advice);
      break;
    }
  }
}

}  // namespace

const Rule rank_variable_of_another_kind{
    .id = "rank/variable-of-another-kind",
    .severity = Severity::deny,
    .title = "a variable that another kind would give",
    .why =
        "Each controller gives its pods variables of its own. Where nobody gives it the name stays as it is written, "
        "or is empty: the launcher ends at once, or every pod has the same place.",
    .wrong = "--node-rank=$(JOB_COMPLETION_INDEX) in a StatefulSet",
    .right = "--node-rank=$(POD_INDEX), taken from the label apps.kubernetes.io/pod-index",
    .check = check,
    .kinds = {JobKind::pytorch_job, JobKind::job_set, JobKind::leader_worker_set, JobKind::volcano_job,
              JobKind::stateful_set, JobKind::pod, JobKind::batch_job},
};

}  // namespace rollcall::launch::rules
