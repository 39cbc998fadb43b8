#include "launch/plan.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace rollcall::launch {
namespace {

using nlohmann::json;

api::TrainingJob job_of(json containers) {
  api::TrainingJob job;
  job.meta.name = "llama";
  job.spec.nnodes = 4;
  job.spec.pod_template = {{"spec", {{"containers", std::move(containers)}}}};
  return job;
}

json container(const std::string& name, int gpus, json command = json::array({"torchrun", "train.py"})) {
  json object = {{"name", name}, {"image", "train:1"}, {"command", std::move(command)}};
  if (gpus > 0) object["resources"] = {{"limits", {{"nvidia.com/gpu", gpus}}}};
  return object;
}

Plan plan(const api::TrainingJob& job) {
  const auto result = plan_of(job);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result.ok() ? *result : Plan{};
}

TEST(PlanOf, AutoIsTheGpusOfTheTrainerContainer) {
  const Plan p = plan(job_of({container("a", 8)}));
  EXPECT_EQ(p.nproc_per_node, 8);
  EXPECT_EQ(p.gpus_per_pod, 8);
  EXPECT_EQ(p.gpu_resource, "nvidia.com/gpu");
  EXPECT_EQ(p.nnodes, 4);
  EXPECT_EQ(p.launcher, "torchrun");
}

TEST(PlanOf, AutoIsOneWithoutGpus) { EXPECT_EQ(plan(job_of({container("a", 0)})).nproc_per_node, 1); }

TEST(PlanOf, AutoIsOneForJax) {
  auto job = job_of({container("a", 8)});
  job.spec.launcher = "jax";
  const Plan p = plan(job);
  EXPECT_EQ(p.nproc_per_node, 1);
  EXPECT_EQ(p.launcher, "jax");
}

TEST(PlanOf, TheSpecsProcessesWinOverTheGpus) {
  auto job = job_of({container("a", 8)});
  job.spec.nproc_per_node = 4;
  EXPECT_EQ(plan(job).nproc_per_node, 4);
}

TEST(PlanOf, TheLaunchersOwnProcessesCountWhenTheSpecSaysAuto) {
  EXPECT_EQ(plan(job_of({container("a", 8, {"torchrun", "--nproc_per_node=2", "train.py"})})).nproc_per_node, 2);
}

struct TrainerCase {
  std::string name;
  json containers;
  std::string named;
  std::string trainer;  // or what the error says
  bool ok = true;
};

class Trainer : public testing::TestWithParam<TrainerCase> {};

TEST_P(Trainer, IsChosen) {
  auto job = job_of(GetParam().containers);
  if (!GetParam().named.empty()) job.spec.trainer_container = GetParam().named;
  const auto result = plan_of(job);
  ASSERT_EQ(result.ok(), GetParam().ok);
  if (result.ok()) {
    EXPECT_EQ(result->trainer, GetParam().trainer);
    EXPECT_EQ(job.spec.pod_template["spec"]["containers"][result->trainer_index]["name"], GetParam().trainer);
  } else {
    EXPECT_EQ(result.error().message, GetParam().trainer);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Trainer,
    testing::Values(
        TrainerCase{"TheNamedOne", {container("a", 8), container("b", 0)}, "b", "b"},
        TrainerCase{"TheOneNamedTrainer", {container("a", 8), container("trainer", 0)}, "", "trainer"},
        TrainerCase{"TheOnlyOneWithGpus", {container("log", 0), container("a", 8)}, "", "a"},
        TrainerCase{"TheOnlyOne", {container("a", 0)}, "", "a"},
        TrainerCase{"NamedButAbsent",
                    {container("a", 8), container("b", 0)},
                    "c",
                    "spec.trainerContainer: `c` is none of the template's containers `a`, `b`.",
                    false},
        TrainerCase{"SeveralWithGpus",
                    {container("a", 8), container("b", 8)},
                    "",
                    "spec.template.spec.containers: which of the containers `a`, `b` trains is open: several ask for "
                    "accelerators and none is named `trainer`.",
                    false},
        TrainerCase{"SeveralWithout",
                    {container("a", 0), container("b", 0)},
                    "",
                    "spec.template.spec.containers: which of the containers `a`, `b` trains is open: none asks for "
                    "accelerators and none is named `trainer`.",
                    false},
        TrainerCase{"None", json::array(), "", "spec.template.spec.containers: the pod template has no container.",
                    false}),
    [](const auto& test) { return test.param.name; });

struct LauncherCase {
  std::string name;
  json command;
  std::string launcher;
};

class Launcher : public testing::TestWithParam<LauncherCase> {};

TEST_P(Launcher, IsReadFromTheCommand) {
  EXPECT_EQ(plan(job_of({container("a", 0, GetParam().command)})).launcher, GetParam().launcher);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Launcher,
    testing::Values(LauncherCase{"Torchrun", {"torchrun", "t.py"}, "torchrun"},
                    LauncherCase{"TorchrunByPath", {"/opt/conda/bin/torchrun", "t.py"}, "torchrun"},
                    LauncherCase{"Module", {"python3", "-u", "-m", "torch.distributed.run", "t.py"}, "torchrun"},
                    LauncherCase{"Python", {"python", "t.py"}, "none"},
                    LauncherCase{"Accelerate", {"accelerate", "launch", "t.py"}, "accelerate"},
                    LauncherCase{"Deepspeed", {"deepspeed", "t.py"}, "deepspeed"},
                    LauncherCase{"Mpirun", {"mpirun", "-np", "8", "python", "t.py"}, "unknown"},
                    LauncherCase{"Script", {"bash", "-c", "cd /app && exec torchrun t.py"}, "torchrun"},
                    LauncherCase{"LoginShell", {"/bin/bash", "-euxo", "pipefail", "-c", "torchrun t.py"}, "torchrun"},
                    LauncherCase{"FileOfTheImage", {"bash", "run.sh"}, "unknown"},
                    LauncherCase{"Branch", {"sh", "-c", "if [ -f x ]; then torchrun t.py; fi"}, "unknown"},
                    LauncherCase{"TwoLaunchers", {"sh", "-c", "torchrun a.py; torchrun b.py"}, "unknown"},
                    LauncherCase{"Env", {"env", "A=b", "torchrun", "t.py"}, "torchrun"},
                    LauncherCase{"Tini", {"tini", "--", "torchrun", "t.py"}, "torchrun"},
                    LauncherCase{"Binary", {"/app/train"}, "unknown"},
                    LauncherCase{"NoCommand", json::array(), "unknown"}),
    [](const auto& test) { return test.param.name; });

struct EnvironmentCase {
  std::string name;
  json command;
  std::map<std::string, std::string> exports;
  std::string partial;
};

class EnvironmentOfTheTrainer : public testing::TestWithParam<EnvironmentCase> {};

TEST_P(EnvironmentOfTheTrainer, IsReadFromTheCommand) {
  auto trainer = container("a", 8, GetParam().command);
  trainer["env"] = json::parse(R"([{"name": "NCCL_DEBUG", "value": "INFO"}, {"name": "HOME", "value": "/root"}])");
  const Plan p = plan(job_of({trainer}));
  EXPECT_EQ(p.exports, GetParam().exports);
  EXPECT_EQ(p.partial_environment, GetParam().partial);
}

json script(const std::string& text) { return {"bash", "-c", text}; }

INSTANTIATE_TEST_SUITE_P(
    Cases, EnvironmentOfTheTrainer,
    testing::Values(
        EnvironmentCase{"None", {"torchrun", "t.py"}, {}, ""}, EnvironmentCase{"Binary", {"/app/train"}, {}, ""},
        EnvironmentCase{
            "Export", script("export NCCL_IB_HCA=mlx5 HOME=/root; torchrun t.py"), {{"NCCL_IB_HCA", "mlx5"}}, ""},
        EnvironmentCase{"NotExported", script("NCCL_IB_HCA=mlx5; torchrun t.py"), {}, ""},
        EnvironmentCase{"Prefix", script("NCCL_DEBUG=WARN torchrun t.py"), {{"NCCL_DEBUG", "WARN"}}, ""},
        EnvironmentCase{
            "Env", {"env", "NCCL_DEBUG=WARN", "A=b c", "torchrun", "t.py"}, {{"A", "b c"}, {"NCCL_DEBUG", "WARN"}}, ""},
        EnvironmentCase{"HandedOver", script("export MASTER_PORT=1 ROLLCALL_X=1; torchrun t.py"), {}, ""},
        EnvironmentCase{"AtRunTime",
                        script("export NCCL_SOCKET_IFNAME=$(ip r); torchrun t.py"),
                        {},
                        "the command sets NCCL_SOCKET_IFNAME at run time"},
        EnvironmentCase{"OfNoFabric", script("export HOST=$(hostname); torchrun t.py"), {}, ""},
        EnvironmentCase{"Sources",
                        script("source /opt/fabric/profile.sh; export A=b; torchrun t.py"),
                        {},
                        "the command runs `source /opt/fabric/profile.sh`"},
        EnvironmentCase{"SourcesAfter", script("torchrun t.py; source /opt/x.sh"), {}, ""},
        EnvironmentCase{"Evaluates", script("eval $X; torchrun t.py"), {}, "the command runs `eval …`"},
        EnvironmentCase{"FileOfTheImage", {"bash", "run.sh"}, {}, "`bash` runs run.sh of the image"},
        EnvironmentCase{"ScriptOfTheImage", {"/app/run.sh"}, {}, "`run.sh` is a script of the image"},
        EnvironmentCase{"Branch",
                        script("if [ -f x ]; then torchrun t.py; fi"),
                        {},
                        "the command cannot be read: the launcher stands in a branch of the script"},
        EnvironmentCase{"ShellThatSetsNothing", script("exec /app/train"), {}, ""},
        EnvironmentCase{"ShellThatSetsSomething",
                        script("export NCCL_DEBUG=INFO; exec /app/train"),
                        {},
                        "the command cannot be read: the script starts no launcher that can be read"},
        EnvironmentCase{
            "NoCommand", json::array(), {}, "the image's entrypoint starts the trainer: the container has no command"}),
    [](const auto& test) { return test.param.name; });

TEST(PlanOf, ASetupAnswersWhatTheCommandLeavesOpenButStartsNoDaemon) {
  auto job = job_of({container("trainer", 8, script("source /opt/x.sh; torchrun t.py")),
                     {{"name", "tcpxo-daemon"}, {"image", "registry.example/tcpgpudmarxd-dev:v1"}}});
  EXPECT_EQ(plan(job).partial_environment.rfind("the command runs `source /opt/x.sh`; container `tcpxo-daemon`", 0),
            0U);
  job.spec.roll_call.setup = ". /opt/x.sh";
  EXPECT_EQ(plan(job).partial_environment.rfind("container `tcpxo-daemon`, the fabric's daemon", 0), 0U);
}

TEST(PlanOf, RdmaIsWhatAPodCertainlyAsksFor) {
  const auto asks_for = [](const std::string& name, const json& quantity = 1) {
    auto trainer = container("a", 8);
    trainer["resources"]["limits"][name] = quantity;
    return plan(job_of({trainer})).rdma_resource;
  };
  for (const char* name : {"vpc.amazonaws.com/efa", "rdma/hca_shared", "nvidia.com/mlnxnics", "openshift.io/rdma_ib0"})
    EXPECT_EQ(asks_for(name), name);
  for (const char* name : {"openshift.io/dpdk", "nvidia.com/hostdev", "intel.com/sriov"}) EXPECT_EQ(asks_for(name), "");
  EXPECT_EQ(asks_for("rdma/ib", "0"), "");
}

}  // namespace
}  // namespace rollcall::launch
