// TrainJob of Kubeflow Trainer 2 (trainer.kubeflow.org/v1alpha1): a TrainingRuntime or ClusterTrainingRuntime holds a
// JobSet's template, the TrainJob what differs. With the runtime known the two are merged as the controller merges them
// (train_job/merge.h) and the trainer is given what the runtime's mlPolicy asks for (train_job/given.h); without it
// only what the TrainJob writes is known, and everything the runtime could say is open.
#include <algorithm>
#include <string>
#include <utility>

#include "launch/kinds/accelerators.h"
#include "launch/kinds/context.h"
#include "launch/kinds/other_kinds.h"
#include "launch/kinds/pods.h"
#include "launch/kinds/train_job/given.h"
#include "launch/kinds/train_job/merge.h"
#include "launch/merged.h"

namespace rollcall::launch {
namespace {

using train_job::Framework;

/// Pods of the trainer's step: spec.trainer.numNodes, the policy's numNodes, the Job's parallelism.
Fact<int> trainer_pods(const Field& job, const Field& policy, const Field& replicated) {
  const Field own = job["spec"]["trainer"]["numNodes"];
  if (own.present()) return count_of(own, 1);
  return policy.is_object() ? count_of(policy["numNodes"], 1)
                            : count_of(replicated["template"]["spec"]["parallelism"], 1);
}

Field node_of(const Field& pod_template) {
  const Field containers = pod_template["spec"]["containers"];
  for (std::size_t i = 0; i < containers.size(); ++i)
    if (containers[i]["name"].text() == train_job::kNode) return containers[i];
  return {};
}

bool is_trainer(const Field& replicated) {
  return replicated["template"]["metadata"]["labels"][train_job::kStepLabel].text() == train_job::kTrainerStep;
}

/// Pods and env of a runtime whose processes each pod starts by itself.
void read_trainer(const Field& policy, const Field& replicated, Launch& launch) {
  const Field pod_template = replicated["template"]["spec"]["template"];
  const Fact<int> nodes = trainer_pods(launch.root, policy, replicated);
  RoleSource source{replicated["name"].text(), pod_template, train_job::kNode, {}, true};
  source.given = train_job::given_by({launch.root, policy, node_of(pod_template), nodes});
  source.given.push_back(given_at_run_time("JOB_COMPLETION_INDEX", "Job controller"));
  Role role = read_role(source, launch);
  role.nodes = nodes;
  role.pods = nodes;
  launch.nodes_decided = nodes.known();
  launch.roles.push_back(std::move(role));
}

/// mpirun in `launcher` starts ranks on the pods of `node`, and with runLauncherAsNode in its own.
void read_mpi(const Field& policy, const Field& jobs, Launch& launch) {
  const Field mpi = policy["mpi"];
  const Field own = launch.root["spec"]["trainer"];
  const bool as_node = mpi["runLauncherAsNode"].is_bool() && mpi["runLauncherAsNode"].json().get<bool>();
  // A launcher of the trainer's step gets the policy's numNodes as its pods.
  const Fact<int> launchers = count_of(policy["numNodes"], 1);
  const Fact<int> nodes = own["numNodes"].present() ? count_of(own["numNodes"], 1)
                                                    : Fact<int>::unknown("the runtime decides it", policy.path());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const bool launcher = jobs[i]["name"].text() == train_job::kLauncher;
    if (!launcher && jobs[i]["name"].text() != train_job::kNode) continue;
    Role role = read_role({jobs[i]["name"].text(), jobs[i]["template"]["spec"]["template"], train_job::kNode, {}, true},
                          launch);
    role.nodes = nodes;
    role.leads = launcher;
    if (launcher) role.pods = Fact<int>::of(1, jobs[i].path());
    if (!launcher && nodes.known()) role.pods = Fact<int>::of(as_node ? std::max(*nodes - 1, 1) : *nodes, nodes.path());
    launch.roles.push_back(std::move(role));
  }
  // One launcher and, with runLauncherAsNode, at least one node beside it: else the host list has other lengths.
  const bool plain = launchers.known() && *launchers == 1 && nodes.known() && (!as_node || *nodes > 1);
  launch.nodes_decided = plain;
  if (!plain || mpi["mpiImplementation"].text("OpenMPI") != "OpenMPI") return;
  const Fact<int> slots = count_of(own["numProcPerNode"].present() ? own["numProcPerNode"] : mpi["numProcPerNode"], 1);
  if (!slots.known() || own["numProcPerNode"].present() || *slots != 1) {
    launch.slots = slots;
    return;
  }
  // One in the runtime stands for one a GPU.
  for (const Role& role : launch.roles) {
    const Fact<int> gpus = train_job::gpus_counted(launch.root, role.container);
    if (role.name == train_job::kNode && gpus.known())
      launch.slots = Fact<int>::of(std::max(1, *gpus), *gpus > 1 ? gpus.path() : slots.path());
  }
}

void read_with(const nlohmann::json& runtime, const train_job::Merged& merged, Launch& launch) {
  const Field meta = Field(runtime)["metadata"];
  launch.merged = merged.object;
  launch.written = merged.written;
  launch.merged_from = Field(runtime)["kind"].text() + " `" + meta["name"].text() + "`";
  launch.merged_at = launch.root["spec"]["runtimeRef"].path();
  const Field whole = Field(*launch.merged)[kMerged];
  const Field policy = whole["spec"]["mlPolicy"];
  const Field jobs = whole["spec"]["template"]["spec"]["replicatedJobs"];
  if (train_job::framework_of(policy) == Framework::mpi) return read_mpi(policy, jobs, launch);
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (is_trainer(jobs[i])) read_trainer(policy, jobs[i], launch);
}

/// What the TrainJob alone tells. The runtime may set further env, ask for devices, and say which of its pods the
/// command runs in.
void read_alone(Launch& launch) {
  using Json = nlohmann::json;
  const Json bare = {{"spec",
                      {{"mlPolicy", Json::object()},
                       {"template",
                        {{"spec",
                          {{"replicatedJobs",
                            {{{"name", train_job::kNode},
                              {"template",
                               {{"metadata", {{"labels", {{train_job::kStepLabel, train_job::kTrainerStep}}}}},
                                {"spec",
                                 {{"template",
                                   {{"spec",
                                     {{"containers",
                                       // envFrom: names may come from where nobody looks.
                                       {{{"name", train_job::kNode},
                                         {"envFrom", {{{"configMapRef", Json::object()}}}}}}}}}}}}}}}}}}}}}}}}};
  const train_job::Merged merged = train_job::merge(bare, launch.root.json());
  launch.merged = merged.object;
  launch.written = merged.written;
  launch.merged_from = "the runtime";
  launch.merged_at = launch.root["spec"]["runtimeRef"].path();
  const Field job = Field(*launch.merged)[kMerged]["spec"]["template"]["spec"]["replicatedJobs"][0];
  const Field pod_template = job["template"]["spec"]["template"];
  Role role = read_role({"", pod_template, train_job::kNode, train_job::maybe_given(), true}, launch);
  const Field own = launch.root["spec"]["trainer"];
  role.nodes = own["numNodes"].present() ? count_of(own["numNodes"], 1)
                                         : Fact<int>::unknown("the runtime decides it", own["numNodes"].path());
  role.pods = Fact<int>::unknown("the runtime decides it", own["numNodes"].path());
  if (role.gpus_per_pod.known() && *role.gpus_per_pod == 0)
    role.gpus_per_pod = Fact<int>::unknown("the runtime may ask for GPUs", own["resourcesPerNode"].path());
  if (!own["command"].present())
    role.command = {Fact<std::string>::unknown("the runtime has the command", own["command"].path())};
  // Absent, because what is not in it may be in the runtime.
  role.pod_template = role.container = Field();
  launch.roles.push_back(std::move(role));
}

}  // namespace

std::optional<Launch> read_train_job(const nlohmann::json& object, const Context& around) {
  Launch launch = launch_of(object, JobKind::train_job, around);
  launch.index_variable = "JOB_COMPLETION_INDEX";
  launch.rank_advice = "Leave it out: a runtime with a torch policy gives each pod its PET_NODE_RANK.";
  launch.master_advice = "Leave it out: a runtime with a torch policy gives every pod PET_MASTER_ADDR.";
  const auto name = runtime_named_by(object);
  const nlohmann::json* runtime = name ? around.runtimes().find(*name) : nullptr;
  if (runtime != nullptr) {
    read_with(*runtime, train_job::merge(*runtime, object), launch);
  } else {
    read_alone(launch);
  }
  return launch;
}

std::optional<Launch> read_training_runtime(const nlohmann::json& object, const Context& around) {
  Launch launch = launch_of(object, JobKind::training_runtime, around);
  const Field jobs = launch.root["spec"]["template"]["spec"]["replicatedJobs"];
  for (std::size_t i = 0; i < jobs.size(); ++i)
    launch.roles.push_back(
        read_role({jobs[i]["name"].text(), jobs[i]["template"]["spec"]["template"], "", {}, true}, launch));
  return launch;
}

}  // namespace rollcall::launch
