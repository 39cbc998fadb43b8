#include "launch/pod/job_plan.h"

#include <fmt/format.h>

#include <optional>

#include "api/names.h"
#include "api/training_job.h"
#include "launch/kinds/readers.h"
#include "launch/plan.h"
#include "launch/pod/trainer_env.h"

namespace rollcall::launch {
namespace {

using nlohmann::json;

std::vector<std::string> command_of(const Field& container) {
  std::vector<std::string> words;
  for (const char* part : {"command", "args"}) {
    const Field list = container[part];
    for (std::size_t i = 0; i < list.size(); ++i) words.push_back(list[i].text());
  }
  return words;
}

std::string source_of(const Field& from) {
  const auto keyed = [](const char* kind, const Field& ref) {
    return fmt::format("{} {}, key {}", kind, ref["name"].text(), ref["key"].text());
  };
  if (from["secretKeyRef"].present()) return keyed("Secret", from["secretKeyRef"]);
  if (from["configMapKeyRef"].present()) return keyed("ConfigMap", from["configMapKeyRef"]);
  if (from["resourceFieldRef"].present())
    return "the container's " + from["resourceFieldRef"]["resource"].text("resources");
  const std::string path = from["fieldRef"]["fieldPath"].text();
  if (path.find(api::names::kAnnotationMasterAddr) != std::string::npos)
    return "the address of node rank 0, when the roll call names it";
  if (path.find(api::names::kAnnotationMasterEndpoint) != std::string::npos)
    return "address and port of node rank 0, when the roll call names it";
  return path.empty() ? "something that is not read" : "the pod's " + path;
}

std::vector<PlannedVariable> variables_of(const json& env) {
  std::vector<PlannedVariable> all;
  const Field list(env);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Field from = list[i]["valueFrom"];
    all.push_back(
        {list[i]["name"].text(), from.present() ? "" : list[i]["value"].text(), from.present() ? source_of(from) : ""});
  }
  return all;
}

/// The last of a name has the word.
std::vector<PlannedVariable> variables_of(const std::vector<EnvEntry>& entries) {
  std::vector<PlannedVariable> all;
  for (const EnvEntry& entry : entries) {
    std::erase_if(all, [&entry](const PlannedVariable& one) { return one.name == entry.name; });
    const std::string reason = entry.value.reason.empty() ? "shows only at run time" : entry.value.reason;
    const bool known = entry.value.known();
    all.push_back({entry.name, known ? entry.value.text : "", known ? "" : reason});
  }
  return all;
}

Result<JobPlan> plan_ours(const json& object) {
  const auto job = api::training_job_from(object);
  if (!job.ok()) return job.error();
  const auto plan = plan_of(*job);
  if (!plan.ok()) return plan.error();
  JobPlan out;
  out.kind = "TrainingJob";
  out.name = job->meta.name;
  out.ours = true;
  out.nnodes = plan->nnodes;
  out.nproc_per_node = plan->nproc_per_node;
  out.gpus_per_node = plan->gpus_per_pod;
  out.gpu_resource = plan->gpu_resource;
  out.port = job->spec.port;
  const Field container = Field(job->spec.pod_template)["spec"]["containers"][plan->trainer_index];
  out.image = container["image"].text();
  out.working_dir = container["workingDir"].text();
  out.more_env = container["envFrom"].size() > 0;
  const json user = container["env"].present() ? container["env"].json() : json::array();
  for (int rank = 0; rank < plan->nnodes; ++rank) {
    out.nodes.push_back({fmt::format("node rank {}", rank), rank, command_of(container),
                         variables_of(env_with(launch_values(*job, *plan, rank), user))});
  }
  return out;
}

/// What the controller of another kind gives is told as far as the manifest decides it, one entry a role.
JobPlan plan_other(const Launch& launch) {
  JobPlan out;
  out.kind = launch.object.kind;
  out.name = launch.object.name;
  for (const Role& role : launch.roles) {
    PlannedNode node;
    node.title = role.name.empty() ? "every pod" : role.name;
    if (role.pods.known()) node.title += fmt::format(", {} pod{}", *role.pods, *role.pods == 1 ? "" : "s");
    // Of a TrainJob whose runtime is not here, what it writes itself.
    node.command = command_of(role.container.present() ? role.container : launch.root["spec"]["trainer"]);
    node.env = variables_of(role.command.env);
    if (role.leads || out.image.empty()) {
      out.image = role.container["image"].text();
      out.working_dir = role.container["workingDir"].text();
      out.nnodes = role.nodes.known() ? *role.nodes : 0;
      out.nproc_per_node = role.processes_per_node.known() ? *role.processes_per_node : 0;
      out.gpus_per_node = role.gpus_per_pod.known() ? *role.gpus_per_pod : 0;
      out.gpu_resource = role.gpu_resource;
    }
    out.more_env = out.more_env || role.container["envFrom"].size() > 0;
    out.nodes.push_back(std::move(node));
  }
  return out;
}

}  // namespace

Result<JobPlan> job_plan_of(const json& object, const Context& around) {
  const KindReader* reader = reader_of(object);
  if (reader == nullptr) return Error{"no kind that starts training"};
  if (reader->kind == JobKind::training_job) return plan_ours(object);
  const std::optional<Launch> launch = reader->read(object, around);
  if (!launch) return Error{"it starts no training that can be told"};
  return plan_other(*launch);
}

}  // namespace rollcall::launch
