// `rollcall plan`: what it prints is what the operator would hand over; its scripts are run by bash and compared.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/cli/command.h"

namespace rollcall::cli {
namespace {

namespace fs = std::filesystem;

Outcome plan(const std::string& manifest, const std::string& format) {
  return rollcall({"plan", "--format", format, "-"}, manifest);
}

/// Four nodes of two processes, whose trainer prints its environment. `env` are lines of the container.
std::string job(const std::string& launcher, const std::string& command, const std::string& env = "") {
  return "apiVersion: rollcall.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: llama}\nspec:\n  nnodes: 4\n"
         "  nprocPerNode: 2\n  launcher: " +
         launcher + "\n  template:\n    spec:\n      containers:\n        - name: trainer\n          image: train:1\n" +
         "          resources: {limits: {nvidia.com/gpu: 2}}\n          command: " + command + "\n" + env;
}

/// Runs a script with bash and gives what it printed.
std::string bash(const std::string& script, const std::string& before, const std::string& arguments) {
  const Folder folder;
  const auto program = [&folder](const std::string& name, const std::string& text) {
    fs::permissions(folder.write("bin/" + name, "#!/bin/bash\n" + text + "\n"), fs::perms::owner_all);
  };
  // What Slurm's two programs do for a script, for one node.
  program("scontrol", "printf 'node-a\\nnode-b\\n'");
  program("srun", "shift; exec \"$@\"");
  const std::string file = folder.write("plan.sh", script);
  const std::string line =
      "PATH=" + (folder.path() / "bin").string() + ":$PATH " + before + " bash " + file + " " + arguments + " 2>&1";
  std::string out;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(line.c_str(), "r"), ::pclose);
  std::array<char, 4096> block{};
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), pipe.get())) out.append(block.data(), got);
  return out;
}

constexpr auto kPrint =
    "[bash, -c, 'echo \"$$MASTER_ADDR $$MASTER_PORT $$NODE_RANK $$PET_NNODES $$PET_NODE_RANK $$PET_NPROC_PER_NODE "
    "$$STORE\"']";
constexpr auto kEnv = "          env: [{name: STORE, value: \"tcp://$(MASTER_ADDR):1/$$x `a` \\\"b\\\"\"}]\n";

TEST(Plan, TextSaysWhatEveryNodeRunsAndWhereTheyDiffer) {
  const Outcome outcome = plan(job("torchrun", "[torchrun, train.py]"), "text");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("TrainingJob llama: 4 nodes, 2 processes each, world size 8; 2 nvidia.com/gpu a node\n"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("  runs: torchrun train.py\n"), std::string::npos);
  EXPECT_NE(outcome.out.find("    PET_NNODES=4\n"), std::string::npos);
  EXPECT_NE(outcome.out.find("\nnode rank 3\n    NODE_RANK=3\n    PET_NODE_RANK=3\n"), std::string::npos);
}

TEST(Plan, TheShellScriptStartsANodeAsThePodWould) {
  const Outcome outcome = plan(job("torchrun", kPrint, kEnv), "shell");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const std::string rank : {"0", "3"}) {
    EXPECT_EQ(bash(outcome.out, "MASTER_ADDR=10.0.0.7", rank),
              "10.0.0.7 29500 " + rank + " 4 " + rank + " 2 tcp://10.0.0.7:1/$x `a` \"b\"\n");
  }
  EXPECT_NE(bash(outcome.out, "", "0").find("the address of node rank 0"), std::string::npos);
  EXPECT_NE(bash(outcome.out, "MASTER_ADDR=10.0.0.7", "").find("node rank, 0 to 3"), std::string::npos);
}

TEST(Plan, TheBatchScriptTakesAddressAndRankFromSlurm) {
  const Outcome outcome = plan(job("torchrun", kPrint, kEnv), "sbatch");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=2\n"),
            std::string::npos)
      << outcome.out;
  EXPECT_EQ(bash(outcome.out, "SLURM_NODEID=2 SLURM_JOB_NODELIST=node-[a-d]", ""),
            "node-a 29500 2 4 2 2 tcp://node-a:1/$x `a` \"b\"\n");
}

TEST(Plan, AValueThatGrowsWithTheRankIsWorkedOut) {
  const Outcome outcome = plan(
      job("jax", "[bash, -c, 'echo \"$$JAX_PROCESS_ID $$JAX_NUM_PROCESSES $$JAX_COORDINATOR_ADDRESS\"']"), "shell");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(bash(outcome.out, "MASTER_ADDR=10.0.0.7", "3"), "6 8 10.0.0.7:29500\n");
  EXPECT_EQ(bash(outcome.out, "MASTER_ADDR=fd00::7", "1"), "2 8 [fd00::7]:29500\n");
}

TEST(Plan, WhatOnlyTheClusterKnowsMustBeSetBefore) {
  const Outcome outcome =
      plan(job("none", "[bash, -c, 'echo \"$$TOKEN\"']",
               "          env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: hub, key: token}}}]\n"),
           "shell");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("# TOKEN must be set before: in the cluster it is Secret hub, key token.\n"),
            std::string::npos);
  EXPECT_EQ(bash(outcome.out, "TOKEN=x MASTER_ADDR=10.0.0.7", "0"), "x\n");
  EXPECT_NE(bash(outcome.out, "MASTER_ADDR=10.0.0.7", "0").find("TOKEN: Secret hub, key token"), std::string::npos);
}

TEST(Plan, NothingIsPlannedForAJobThatTheRulesRefuse) {
  const Outcome outcome = plan(job("torchrun", "[torchrun, --nnodes=2, train.py]"), "shell");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("[torchrun/nnodes-against-spec]"), std::string::npos);
}

TEST(Plan, AnotherKindIsShownAsFarAsItsManifestDecides) {
  const std::string text =
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: llama}\nspec:\n  completionMode: Indexed\n  parallelism: 2\n"
      "  completions: 2\n  template:\n    spec:\n      subdomain: llama\n      containers:\n        - name: a\n        "
      "  image: train:1\n"
      "          command: [torchrun, --nnodes=2, --nproc-per-node=8, --node-rank=$(JOB_COMPLETION_INDEX), "
      "--master-addr=llama-0.llama, train.py]\n          resources: {limits: {nvidia.com/gpu: 8}}\n";
  const Outcome outcome = plan(text, "text");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Job llama: 2 nodes, 8 processes each, world size 16; 8 nvidia.com/gpu a node\n"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("JOB_COMPLETION_INDEX ("), std::string::npos);
  const Outcome script = plan(text, "shell");
  EXPECT_EQ(script.code, 2);
  EXPECT_NE(script.err.find("the ranks of a Job are given by its controller"), std::string::npos) << script.err;
}

TEST(Plan, ATrainJobWithoutItsRuntimeRunsWhatItWritesItself) {
  const Outcome outcome = plan(
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: llama}\nspec:\n"
      "  runtimeRef: {name: torch}\n  trainer: {numNodes: 2, command: [torchrun, train.py]}\n",
      "text");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("  runs: torchrun train.py\n"), std::string::npos) << outcome.out;
}

TEST(Plan, WhatIsNoJobIsSaid) {
  const Outcome outcome = plan("apiVersion: v1\nkind: Service\nmetadata: {name: a}\n", "text");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "rollcall plan: <stdin>: holds no job of a kind that is read\n");
}

}  // namespace
}  // namespace rollcall::cli
