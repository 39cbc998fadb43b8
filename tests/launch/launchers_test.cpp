// What launchers read from files of the input, and what they start.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/launch/manifests.h"

namespace rollcall::launch {
namespace {

using test::findings_of;
using test::found;
using test::kService;
using test::short_of;

std::string config_map(const std::string& key, const std::string& text) {
  std::string lines;
  for (const char c : "    " + text) lines += c == '\n' ? std::string("\n    ") : std::string(1, c);
  return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: files}\ndata:\n  " + key + ": |\n" + lines + "\n---\n";
}

/// An Indexed Job of four pods that mounts the ConfigMap `files`. `mount` are further fields of the mount, `source` of
/// the volume's configMap.
std::string indexed(const std::string& command, const std::string& mount = "mountPath: /etc/files",
                    const std::string& source = "", const std::string& container = "") {
  return kService +
         "apiVersion: batch/v1\nkind: Job\nmetadata: {name: llama}\nspec:\n  completionMode: Indexed\n"
         "  parallelism: 4\n  completions: 4\n  backoffLimit: 0\n"
         "  template:\n    spec:\n      restartPolicy: Never\n      subdomain: llama\n      containers:\n        - "
         "name: c\n"
         "          image: t:1\n          command: [" +
         command + "]\n" + container +
         "          resources: {limits: {nvidia.com/gpu: 8}}\n"
         "          volumeMounts: [{name: shm, mountPath: /dev/shm}, {name: files, " +
         mount +
         "}]\n      volumes:\n        - {name: shm, emptyDir: {medium: Memory}}\n"
         "        - {name: files, configMap: {name: files" +
         source + "}}\n";
}

const std::string kAt = "spec.template.spec.containers[0].";
const std::string kConfig =
    "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_machines: 4\nnum_processes: 32\n"
    "main_process_ip: llama-0.llama\nmain_process_port: 29500";
const std::string kLaunch = "accelerate, launch, --config_file, /etc/files/acc.yaml, ";

TEST(AccelerateConfig, TheFileOfTheInputIsRead) {
  // machine_rank is 0 where nobody writes it.
  EXPECT_EQ(found(config_map("acc.yaml", kConfig) + indexed(kLaunch + "t.py")),
            "deny rank/constant-rank @ " + kAt + "command[3]");
  EXPECT_EQ(found(config_map("acc.yaml", kConfig) + indexed(kLaunch + "--machine_rank, $(JOB_COMPLETION_INDEX), t.py")),
            "");
}

TEST(AccelerateConfig, AFlagStandsForMore) {
  const std::string job =
      indexed(kLaunch + "--main_process_ip=localhost, --machine_rank=$(JOB_COMPLETION_INDEX), t.py");
  EXPECT_EQ(found(config_map("acc.yaml", kConfig) + job), "deny rendezvous/localhost @ " + kAt + "command[4]");
}

TEST(AccelerateConfig, ProcessesAreTheTotalOverAllMachines) {
  std::string config = kConfig;
  config.replace(config.find("32"), 2, "8");
  const Findings findings =
      findings_of(config_map("acc.yaml", config) + indexed(kLaunch + "--machine_rank=$(JOB_COMPLETION_INDEX), t.py"));
  ASSERT_EQ(short_of(findings), "warn gpu/fewer-processes-than-gpus @ " + kAt + "command[3]");
  EXPECT_NE(findings[0].fix.find("total over all 4 machines: write 32"), std::string::npos) << findings[0].fix;
}

TEST(AccelerateConfig, WhatTheInputDoesNotHaveIsUnknown) {
  const std::string job = indexed(kLaunch + "t.py");
  EXPECT_EQ(found(job), "");                                             // no ConfigMap
  EXPECT_EQ(found(config_map("other.yaml", kConfig) + job), "");         // no such key
  EXPECT_EQ(found(config_map("acc.yaml", "a: [unfinished") + job), "");  // accelerate says so itself
  EXPECT_EQ(found(config_map("acc.yaml", "num_machines: 4") + job), "");
}

TEST(MountedFiles, AreFoundBySubPathItemsAndWorkingDirectory) {
  const std::string map = config_map("acc.yaml", kConfig);
  const std::string denied = "deny rank/constant-rank @ " + kAt + "command[3]";
  EXPECT_EQ(found(map + indexed("accelerate, launch, --config_file, /a/b.yaml, t.py",
                                "mountPath: /a/b.yaml, subPath: acc.yaml")),
            denied);
  EXPECT_EQ(found(map + indexed("accelerate, launch, --config_file, /etc/files/sub/b.yaml, t.py",
                                "mountPath: /etc/files/", ", items: [{key: acc.yaml, path: sub/b.yaml}]")),
            denied);
  EXPECT_EQ(found(map + indexed(kLaunch + "t.py", "mountPath: /etc/files", ", items: [{key: x, path: acc.yaml}]")), "");
  EXPECT_EQ(found(map + indexed("accelerate, launch, --config_file, acc.yaml, t.py", "mountPath: /etc/files", "",
                                "          workingDir: /etc/files\n")),
            denied);
  EXPECT_EQ(found(map + indexed("accelerate, launch, --config_file, acc.yaml, t.py")), "");
  EXPECT_EQ(found(map + indexed(kLaunch + "t.py", "mountPath: /etc/files, subPathExpr: $(POD)")), "");
}

const std::string kScript =
    "#!/bin/bash\nset -e\nexec torchrun --nnodes=4 --nproc-per-node=8 --node-rank=$JOB_COMPLETION_INDEX "
    "--master-addr=localhost t.py";

TEST(MountedScript, IsReadAsIfItStoodInTheCommand) {
  const std::string map = config_map("run.sh", kScript);
  for (const char* command : {"bash, /etc/files/run.sh", "bash, -x, /etc/files/run.sh", "/etc/files/run.sh",
                              "bash, -c, 'exec /etc/files/run.sh'", "bash, -c, 'bash /etc/files/run.sh'"}) {
    const Findings findings = findings_of(map + indexed(command));
    ASSERT_EQ(findings.size(), 1U) << command;
    EXPECT_EQ(findings[0].rule, "rendezvous/localhost");
    EXPECT_NE(findings[0].message.find("ConfigMap `files`, key `run.sh`"), std::string::npos) << findings[0].message;
    EXPECT_EQ(findings[0].place.path.substr(0, kAt.size() + 7), kAt + "command") << findings[0].place.path;
  }
  EXPECT_EQ(found(indexed("bash, /etc/files/run.sh")), "");
  EXPECT_EQ(found(config_map("run.sh", "#!/usr/bin/env python3\n" + kScript) + indexed("/etc/files/run.sh")), "");
}

TEST(MountedScript, IsHandedItsArguments) {
  const std::string script = "#!/bin/sh\necho \"$1\"\nexec \"$@\"";
  const std::string launch =
      "torchrun, --nnodes=4, --nproc-per-node=8, --node-rank=$(JOB_COMPLETION_INDEX), --master-addr=127.0.0.1, t.py";
  EXPECT_EQ(found(config_map("run.sh", script) + indexed("/etc/files/run.sh, " + launch)),
            "deny rendezvous/localhost @ " + kAt + "command[5]");
  EXPECT_EQ(found(config_map("run.sh", "shift\n" + script) + indexed("/etc/files/run.sh, " + launch)), "");
  EXPECT_EQ(found(config_map("run.sh", "set -- a b\n" + script) + indexed("/etc/files/run.sh, " + launch)), "");
}

TEST(Env, ValuesOfAConfigMapAreRead) {
  const std::string run =
      "bash, -c, 'torchrun --nnodes=4 --node-rank=$JOB_COMPLETION_INDEX --master-addr=$HEAD --nproc-per-node=8 t.py'";
  const std::string plain = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: files}\ndata: {HEAD: localhost}\n---\n";
  const auto job = [&run](const std::string& env) { return indexed(run, "mountPath: /etc/files", "", env); };
  const std::string denied = "deny rendezvous/localhost @ " + kAt + "command[2]";
  const std::string by_key = "          env: [{name: HEAD, valueFrom: {configMapKeyRef: {name: files, key: HEAD}}}]\n";
  EXPECT_EQ(found(plain + job(by_key)), denied);
  EXPECT_EQ(found(job(by_key)), "");
  EXPECT_EQ(found(plain + job("          envFrom: [{configMapRef: {name: files}}]\n")), denied);
  EXPECT_EQ(found(plain + job("          envFrom: [{configMapRef: {name: files}}, {secretRef: {name: s}}]\n")), "");
  EXPECT_EQ(found(plain + job("          envFrom: [{configMapRef: {name: files}}]\n"
                              "          env: [{name: HEAD, value: llama-0.llama}]\n")),
            "");
}

TEST(Script, ARankThatTheKubeletFillsInIsThePodsOwn) {
  const std::string run =
      "bash, -c, 'torchrun --nnodes=2 --nproc-per-node=8 --node-rank=$(RANK_OF) --master-addr=llama-0.llama t.py'";
  EXPECT_EQ(found(indexed(run, "mountPath: /etc/files", "",
                          "          env: [{name: RANK_OF, valueFrom: {fieldRef: {fieldPath: "
                          "\"metadata.annotations['batch.kubernetes.io/job-completion-index']\"}}}]\n")),
            "deny torchrun/nnodes-against-spec @ " + kAt + "command[2]");
}

TEST(Env, TheOrderOfEntriesThatDoNotReferToEachOtherDoesNotMatter) {
  std::vector<std::string> entries{"{name: HEAD, value: localhost}", "{name: NCCL_DEBUG, value: INFO}",
                                   "{name: NODES, value: '4'}", "{name: NCCL_SOCKET_IFNAME, value: '^docker0'}",
                                   "{name: RANK, value: '0'}"};
  const std::string run =
      "bash, -c, 'torchrun --nnodes=$NODES --nproc-per-node=8 --node-rank=$RANK --master-addr=$HEAD t.py'";
  const auto rules = [&] {
    std::string env = "          env:\n";
    for (const std::string& entry : entries) env += "            - " + entry + "\n";
    std::multiset<std::string> out;
    for (const Finding& finding : findings_of(indexed(run, "mountPath: /etc/files", "", env)))
      out.insert(std::string(to_string(finding.severity)) + " " + finding.rule + ": " + finding.message);
    return out;
  };
  std::sort(entries.begin(), entries.end());
  const auto first = rules();
  EXPECT_GE(first.size(), 3U);
  while (std::next_permutation(entries.begin(), entries.end())) EXPECT_EQ(rules(), first);
}

TEST(Lightning, TheTrainersSettingsAreRead) {
  const auto job = [](const std::string& flags, const std::string& rank) {
    return indexed(
        "python, t.py, " + flags, "mountPath: /etc/files", "",
        "          env: [{name: MASTER_ADDR, value: llama-0.llama}, {name: NODE_RANK, value: " + rank + "}]\n");
  };
  const std::string index = "$(JOB_COMPLETION_INDEX)";
  const std::string constant = "deny rank/constant-rank @ " + kAt + "env[1].value";
  EXPECT_EQ(found(job("trainer.num_nodes=4, +trainer.devices=8", index)), "");
  EXPECT_EQ(found(job("--trainer.num_nodes=4, --trainer.devices, '8'", index)), "");
  EXPECT_EQ(found(job("trainer.num_nodes=4", "'0'")), constant);
  EXPECT_EQ(found(job("--trainer.num_nodes, '4'", "'0'")), constant);
  EXPECT_EQ(found(job("trainer.num_nodes=1", "'0'")), "");
  EXPECT_EQ(found(job("trainer.devices=16", index)), "deny gpu/more-processes-than-gpus @ " + kAt + "command[2]");
}

TEST(Script, WhatItExportsReachesThePython) {
  const auto job = [](const std::string& script) { return indexed("bash, -c, \"" + script + " python t.py\""); };
  const std::string world = "export WORLD_SIZE=4 MASTER_ADDR=llama-0.llama;";
  const std::string denied = "deny rank/constant-rank @ " + kAt + "command[2]";
  EXPECT_EQ(found(job(world + " export RANK=0;")), denied);
  EXPECT_EQ(found(job(world + " RANK=0; export RANK;")), denied);
  EXPECT_EQ(found(job(world + " RANK=0")), denied);
  EXPECT_EQ(found(job(world + " RANK=0;")), "");  // not exported
  EXPECT_EQ(found(job(world + " export RANK=$JOB_COMPLETION_INDEX;")), "");
  EXPECT_EQ(found(job(world + " export RANK=0; read RANK < /rank;")), "");
  EXPECT_EQ(found(job(world + " export RANK=0; . /env.sh;")), "");
  EXPECT_EQ(found(job(world + " [ -f /x ] && export RANK=0;")), "");
}

TEST(Script, AFallbackToLoopbackIsWarnedOfWhereNobodySetsTheVariable) {
  const std::string rest = " --nnodes=4 --nproc-per-node=8 --node-rank=$JOB_COMPLETION_INDEX t.py";
  const auto job = [&rest](const std::string& before, const std::string& host, const std::string& env = "") {
    return indexed("bash, -c, '" + before + "torchrun --master-addr=" + host + rest + "'", "mountPath: /etc/files", "",
                   env);
  };
  const std::string warned = "warn rendezvous/falls-back-to-localhost @ " + kAt + "command[2]";
  EXPECT_EQ(found(job("", "${HEAD:-localhost}")), warned);
  EXPECT_EQ(found(job(": ${HEAD:=localhost}; ", "$HEAD")), warned);
  EXPECT_EQ(found(job("H=$(scontrol show hostnames | head -n 1 || echo localhost); ", "$H")), warned);
  EXPECT_EQ(found(job("", "${HEAD:-llama-0.llama}")), "");
  EXPECT_EQ(found(job("HEAD=llama-0.llama; ", "${HEAD:-localhost}")), "");
  EXPECT_EQ(found(job(". /env.sh; ", "${HEAD:-localhost}")), "");
  EXPECT_EQ(found(job("", "${HEAD:-localhost}", "          envFrom: [{secretRef: {name: s}}]\n")), "");
  EXPECT_EQ(found(job("", "${HEAD:-localhost}",
                      "          env: [{name: HEAD, valueFrom: {secretKeyRef: {name: s, key: k}}}]\n")),
            "");
}

}  // namespace
}  // namespace rollcall::launch
