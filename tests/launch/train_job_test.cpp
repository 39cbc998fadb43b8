// TrainJobs: what the runtime says and what the TrainJob writes over it, and that nothing is told of what is not in
// sight.
#include <gtest/gtest.h>

#include "launch/kinds/runtimes.h"
#include "launch/kinds/train_job/merge.h"
#include "launch/merged.h"
#include "tests/launch/manifests.h"

namespace rollcall::launch {
namespace {

using test::findings_of;
using test::found;
using test::short_of;

/// `policy` are keys of mlPolicy, `container` lines of the container `node`, `spec` of the JobSet's spec.
std::string runtime(const std::string& policy, const std::string& container = "", const std::string& spec = "",
                    const std::string& kind = "ClusterTrainingRuntime", const std::string& meta = "name: torch") {
  return "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: " + kind + "\nmetadata: {" + meta +
         "}\nspec:\n  mlPolicy: {" + policy + "}\n  template:\n    spec:\n" + spec +
         "      replicatedJobs:\n        - name: node\n          template:\n"
         "            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}\n"
         "            spec:\n              template:\n                spec:\n                  containers:\n"
         "                    - name: node\n                      image: t:1\n" +
         container +
         "                      volumeMounts: [{name: shm, mountPath: /dev/shm}]\n"
         "                  volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 16Gi}}]\n---\n";
}

/// `trainer` are lines of spec.trainer, `spec` of the spec.
std::string train_job(const std::string& trainer, const std::string& spec = "", const std::string& meta = "") {
  return "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: llama" + meta +
         "}\nspec:\n  runtimeRef: {name: torch}\n" + spec + (trainer.empty() ? "" : "  trainer:\n" + trainer);
}

const std::string kTorch = "numNodes: 1, torch: {}";
const std::string kGpus = "    resourcesPerNode: {limits: {nvidia.com/gpu: 8}}\n";
const std::string kCommand = "                      command: ";

TEST(TrainJob, FlagsThatContradictNumNodesAreDeniedWhereTheyStand) {
  const std::string job = train_job("    numNodes: 4\n    command: [torchrun, --nnodes=2, t.py]\n" + kGpus);
  EXPECT_EQ(found(runtime(kTorch) + job), "deny torchrun/nnodes-against-spec @ spec.trainer.command[1]");
  EXPECT_EQ(found(job + "---\n" + runtime(kTorch)), "deny torchrun/nnodes-against-spec @ spec.trainer.command[1]");
  EXPECT_EQ(found(job), "") << "the runtime is not in sight";
  EXPECT_EQ(found(runtime(kTorch) + train_job("    numNodes: 4\n    command: [torchrun, t.py]\n" + kGpus)), "");
}

TEST(TrainJob, WhatOnlyTheRuntimeSaysIsToldAtRuntimeRefInWords) {
  const std::string manifest =
      runtime(kTorch, kCommand + "[torchrun, --nnodes=2, t.py]\n") + train_job("    numNodes: 4\n" + kGpus);
  const Findings findings = findings_of(manifest);
  ASSERT_EQ(short_of(findings), "deny torchrun/nnodes-against-spec @ spec.runtimeRef");
  EXPECT_NE(findings[0].message.find(
                "in ClusterTrainingRuntime `torch`, "
                "spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0].command[1]: "),
            std::string::npos)
      << findings[0].message;
  EXPECT_EQ(findings[0].place.document, 1);
  EXPECT_EQ(findings[0].object.kind, "TrainJob");
}

TEST(TrainJob, NodesComeFromTheJobThenFromTheRuntime) {
  const auto of = [](const std::string& policy, const std::string& nodes) {
    return found(runtime(policy) + train_job(nodes + "    command: [torchrun, --nnodes=3, t.py]\n" + kGpus));
  };
  EXPECT_EQ(of("numNodes: 3, torch: {}", ""), "");
  EXPECT_EQ(of("numNodes: 2, torch: {}", "    numNodes: 3\n"), "");
  EXPECT_EQ(of("numNodes: 3, torch: {}", "    numNodes: 2\n"),
            "deny torchrun/nnodes-against-spec @ spec.trainer.command[1]");
  EXPECT_EQ(of("torch: {}", ""), "deny torchrun/nnodes-against-spec @ spec.trainer.command[1]");
}

TEST(TrainJob, ResourcesAreMergedKeyByKey) {
  const std::string gpus = "                      resources: {limits: {nvidia.com/gpu: 4, cpu: 8}}\n";
  const std::string command = "    numNodes: 2\n    numProcPerNode: 8\n    command: [torchrun, t.py]\n";
  EXPECT_EQ(found(runtime(kTorch, gpus) + train_job(command)),
            "deny gpu/more-processes-than-gpus @ spec.trainer.numProcPerNode");
  EXPECT_EQ(found(runtime(kTorch, gpus) + train_job(command + "    resourcesPerNode: {limits: {memory: 64Gi}}\n")),
            "deny gpu/more-processes-than-gpus @ spec.trainer.numProcPerNode");
  EXPECT_EQ(found(runtime(kTorch, gpus) + train_job(command + kGpus)), "");
}

TEST(TrainJob, PatchesChangeTheTemplateBeforeTheTrainerDoes) {
  const std::string volumes =
      "volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 64Mi}}], containers: [{name: node, volumeMounts: "
      "[{name: shm, mountPath: /dev/shm}]}]";
  const std::string trainer = "    command: [torchrun, t.py]\n" + kGpus;
  EXPECT_EQ(
      found(runtime(kTorch) + train_job(trainer,
                                        "  runtimePatches:\n    - manager: example.test/us\n"
                                        "      trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: "
                                        "node, template: {spec: {template: {spec: {" +
                                            volumes + "}}}}}]}}}\n")),
      "warn memory/small-shm @ spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0].template."
      "spec.template.spec.volumes[0].emptyDir.sizeLimit");
  EXPECT_EQ(found(runtime(kTorch) +
                  train_job(trainer, "  podTemplateOverrides:\n    - targetJobs: [{name: node}]\n      spec: {" +
                                         volumes + "}\n")),
            "warn memory/small-shm @ spec.podTemplateOverrides[0].spec.volumes[0].emptyDir.sizeLimit");
}

TEST(TrainJob, OfTheNamespaceTakesItsRuntime) {
  const auto of = [](const std::string& space) {
    return found(
        runtime(kTorch, "", "", "TrainingRuntime", "name: torch, namespace: a") +
        "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: llama, namespace: " + space +
        "}\nspec:\n  runtimeRef: {name: torch, kind: TrainingRuntime}\n  trainer:\n    numNodes: 4\n"
        "    command: [torchrun, --nnodes=2, t.py]\n" +
        kGpus);
  };
  EXPECT_EQ(of("a"), "deny torchrun/nnodes-against-spec @ spec.trainer.command[1]");
  EXPECT_EQ(of("b"), "");
}

TEST(TrainJob, OfTwoRuntimesOfOneNameIsOpen) {
  const std::string job = train_job("    command: [torchrun, --nnodes=2, t.py]\n" + kGpus);
  EXPECT_NE(found(runtime("numNodes: 4, torch: {}") + job), "");
  EXPECT_EQ(found(runtime("numNodes: 4, torch: {}") + runtime("numNodes: 2, torch: {}") + job), "");
}

TEST(TrainJob, WithoutItsRuntimeIsHardlyJudged) {
  for (const char* trainer : {
           "    numNodes: 4\n    command: [torchrun, --nnodes=2, --standalone, t.py]\n",
           "    numNodes: 4\n    args: [--steps=8]\n",
           "    numProcPerNode: 8\n    command: [torchrun, t.py]\n    resourcesPerNode: {limits: {memory: 1Gi}}\n",
           "    numNodes: 4\n    command: [torchrun, t.py]\n    env: [{name: MASTER_ADDR, value: localhost}]\n",
           "    numNodes: 4\n    command: [mpirun, -np, '2', python, t.py]\n",
       })
    EXPECT_EQ(found(train_job(trainer)).find("deny"), std::string::npos) << trainer << found(train_job(trainer));
  EXPECT_EQ(found(train_job("")), "");
}

TEST(TrainJob, TorchtuneMeetsWhereTheControllerSays) {
  const std::string local = kCommand +
                            "[tune, run, '--rdzv_endpoint=localhost:29500', full_finetune_distributed]\n"
                            "                      resources: {limits: {nvidia.com/gpu: 2}}\n";
  EXPECT_EQ(found(runtime(kTorch, local)), "") << "a runtime is no job";
  EXPECT_EQ(found(runtime(kTorch, local) + train_job("    command: [tune, run]\n    numNodes: 2\n")), "");
  EXPECT_EQ(found(runtime(kTorch, local) + train_job("    numNodes: 2\n")),
            "deny rendezvous/localhost @ spec.runtimeRef");
}

TEST(TrainJob, JaxIsToldByTheController) {
  const std::string jax = "numNodes: 1, jax: {}";
  EXPECT_EQ(found(runtime(jax) + train_job("    numNodes: 2\n    command: [python, t.py]\n" + kGpus)), "");
  EXPECT_EQ(found(runtime(jax) + train_job("    numNodes: 2\n    command: [python, t.py]\n"
                                           "    env: [{name: JAX_PROCESS_ID, value: '0'}]\n" +
                                           kGpus)),
            "deny rank/constant-rank @ spec.trainer.env[0].value")
      << "spec.trainer.env wins over what the plugin sets";
}

TEST(TrainJob, BrokenOnesAreReadWithoutHarm) {
  for (const char* spec :
       {"spec: 1\n", "spec: {runtimeRef: 7}\n", "spec: {runtimeRef: {name: torch}, trainer: []}\n",
        "spec: {runtimeRef: {name: torch}, trainer: {env: {}, command: 3, resourcesPerNode: x}}\n",
        "spec: {runtimeRef: {name: torch}, runtimePatches: [1, {trainingRuntimeSpec: {template: "
        "{spec: {replicatedJobs: 3}}}}], podTemplateOverrides: [null, {targetJobs: [1], spec: 2}]}\n"})
    for (const std::string& before :
         {std::string(), runtime(kTorch),
          std::string(
              "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata: {name: torch}\n"
              "spec: {template: {spec: {replicatedJobs: [1, {template: 3}]}}}\n---\n")})
      EXPECT_TRUE(
          check_text(before + "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: l}\n" + spec,
                     "x.yaml")
              .ok())
          << spec;
}

TEST(Merge, ReplacesEnvEntriesWholeAndTellsWhoWroteThem) {
  const nlohmann::json object = nlohmann::json::parse(R"({"spec": {"mlPolicy": {"torch": {}}, "template": {"spec":
    {"replicatedJobs": [{"name": "node", "template": {"metadata": {"labels":
    {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}, "spec": {"template": {"spec": {"containers": [{"name":
    "node", "env": [{"name": "A", "valueFrom": {}}, {"name": "B", "value": "b"}]}]}}}}}]}}}})");
  const nlohmann::json job = {
      {"spec", {{"trainer", {{"env", {{{"name", "C"}, {"value", "c"}}, {{"name", "A"}, {"value", "a"}}}}}}}}};
  const auto merged = train_job::merge(object, job);
  const auto& container = (*merged.object)[kMerged]["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]
                                          ["template"]["spec"]["containers"][0];
  EXPECT_EQ(container["env"].dump(), R"([{"name":"A","value":"a"},{"name":"B","value":"b"},{"name":"C","value":"c"}])");
  const std::string env = "merged.spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0].env";
  std::string places;
  for (const Written& one : merged.written)
    if (one.merged.starts_with(env)) places += one.merged.substr(env.size()) + "=" + one.path + " ";
  EXPECT_EQ(places, "[2]=spec.trainer.env[0] [0]=spec.trainer.env[1] ");
}

TEST(Runtimes, AreNamedWithTheSchemasDefaults) {
  const auto name = [](const std::string& reference) {
    return runtime_named_by({{"apiVersion", "trainer.kubeflow.org/v1alpha1"},
                             {"kind", "TrainJob"},
                             {"metadata", {{"namespace", "team"}}},
                             {"spec", {{"runtimeRef", nlohmann::json::parse(reference)}}}});
  };
  EXPECT_EQ(name(R"({"name": "torch"})"), (RuntimeName{true, "", "torch"}));
  EXPECT_EQ(name(R"({"name": "torch", "kind": "TrainingRuntime"})"), (RuntimeName{false, "team", "torch"}));
  EXPECT_EQ(name(R"({"name": "torch", "apiGroup": "example.test"})"), std::nullopt);
  EXPECT_EQ(name("{}"), std::nullopt);
}

}  // namespace
}  // namespace rollcall::launch
