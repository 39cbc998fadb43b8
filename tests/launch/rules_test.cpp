// The rules beyond their examples: who writes the value, and what is fine.
#include <gtest/gtest.h>

#include "tests/launch/manifests.h"

namespace rollcall::launch {
namespace {

using test::findings_of;
using test::fixture;
using test::found;
using test::job;
using test::job_of;
using test::job_of_script;
using test::short_of;

std::string env(const std::string& name, const std::string& value) {
  return "          command: [torchrun, t.py]\n          env: [{name: " + name + ", value: '" + value + "'}]\n";
}

const std::string kContainer = "spec.template.spec.containers[0]";
const std::string kEnvValue = " @ " + kContainer + ".env[0].value";

TEST(MasterAddress, EveryPlaceThatWritesOneIsRead) {
  EXPECT_EQ(found(job(env("MASTER_ADDR", "gpu-0"))), "deny rendezvous/host-name" + kEnvValue);
  EXPECT_EQ(found(job(env("PET_MASTER_ADDR", "gpu-0"))), "deny rendezvous/host-name" + kEnvValue);
  EXPECT_EQ(found(job(env("PET_RDZV_ENDPOINT", "gpu-0:29500"))), "deny rendezvous/host-name" + kEnvValue);
  EXPECT_EQ(
      found(job(
          "          command: [python, t.py]\n          env: [{name: JAX_COORDINATOR_ADDRESS, value: 'gpu-0:29500'}]\n",
          "  launcher: jax\n")),
      "deny rendezvous/host-name" + kEnvValue);
  EXPECT_EQ(found(job_of("torchrun, --master-addr=gpu-0, t.py")),
            "deny rendezvous/host-name @ " + kContainer + ".command[1]");
  EXPECT_EQ(found(job_of("torchrun, --rdzv_endpoint, 'gpu-0:29500', t.py")),
            "deny rendezvous/host-name @ " + kContainer + ".command[2]");
  EXPECT_EQ(found(job_of_script("torchrun --master_addr localhost t.py")),
            "deny rendezvous/localhost @ " + kContainer + ".args[0]");
}

TEST(MasterAddress, KindsOfAddresses) {
  const auto kind = [](const std::string& address) { return found(job(env("PET_RDZV_ENDPOINT", address))); };
  for (const char* address :
       {"localhost:29500", "127.0.0.1:29500", "127.1.2.3:29500", "[::1]:29500", "LOCALHOST:29500"}) {
    EXPECT_EQ(kind(address), "deny rendezvous/localhost" + kEnvValue) << address;
  }
  for (const char* address : {"0.0.0.0:29500", "[::]:29500"}) {
    EXPECT_EQ(kind(address), "deny rendezvous/wildcard" + kEnvValue) << address;
  }
  for (const char* address : {"169.254.0.9:29500", "[fe80::1]:29500", "[fe80::1%eth0]:29500"}) {
    EXPECT_EQ(kind(address), "deny rendezvous/link-local" + kEnvValue) << address;
  }
  for (const char* address : {"", ":29500", "tcp://a:29500", "a b:29500", "10.0.0:29500", "300.1.1.1:29500",
                              "239.0.0.1:29500", "a,b:29500", "fe80::1", "255.255.255.255:29500"}) {
    EXPECT_TRUE(kind(address).starts_with("deny rendezvous/unparsable-address" + kEnvValue))
        << address << ": " << kind(address);
  }
  for (const char* address : {"10.0.0.5:29500", "[fd00::5]:29500", "fd00::5:29500"}) {
    EXPECT_EQ(kind(address), "warn rendezvous/written-down-address" + kEnvValue) << address;
  }
}

TEST(MasterAddress, WhatWeHandOverIsFine) {
  EXPECT_EQ(found(job_of("torchrun, --master_addr=$(MASTER_ADDR), --node_rank=$(NODE_RANK), --nnodes=$(NNODES), t.py")),
            "");
  EXPECT_EQ(found(job_of_script("torchrun --master_addr=$MASTER_ADDR --rdzv_endpoint=${MASTER_ADDR}:${MASTER_PORT} "
                                "--node_rank=\"$NODE_RANK\" --nproc_per_node=$NPROC_PER_NODE t.py")),
            "");
}

TEST(MasterAddress, AKnownHostBesideAnOpenPortIsJudged) {
  EXPECT_EQ(found(job_of("torchrun, '--rdzv-endpoint=localhost:$(MASTER_PORT)', t.py")),
            "deny rendezvous/localhost @ " + kContainer + ".command[1]");
  EXPECT_EQ(found(job_of("torchrun, '--rdzv-endpoint=$(MASTER_ADDR):99999', t.py")),
            "deny rendezvous/port-out-of-range @ " + kContainer + ".command[1]");
}

TEST(MasterAddress, OneNodeMayCallItself) {
  EXPECT_EQ(found(job_of("torchrun, --master_addr=localhost, t.py", "  nnodes: 1\n")), "");
  EXPECT_EQ(found(job_of("torchrun, --standalone, --node_rank=0, t.py", "  nnodes: 1\n")), "");
  EXPECT_EQ(found(job_of("torchrun, t.py", "  nnodes: 1\n  rendezvous: {masterAddr: gpu-0}\n")),
            "deny rendezvous/host-name @ spec.rendezvous.masterAddr");
}

TEST(MasterAddress, ALiteralOnTheHostNetworkIsAnAssertion) {
  EXPECT_EQ(found(job("          command: [torchrun, t.py]\n", "  rendezvous: {masterAddr: 10.0.0.5}\n",
                      "      hostNetwork: true\n")),
            "");
}

TEST(MasterAddress, OfAnUnknownNumberOfNodesIsNotDenied) {
  EXPECT_EQ(found(job(env("PET_RDZV_ENDPOINT", "localhost:29500"), "  nnodes: none\n")),
            "deny spec/wrong-type @ spec.nnodes");
}

TEST(Ports, Edges) {
  const auto port = [](const std::string& number) {
    return found(job("          command: [torchrun, t.py]\n", "  rendezvous: {port: " + number + "}\n"));
  };
  for (const char* number : {"0", "-1", "65536", "99999999999999999999"}) {
    EXPECT_TRUE(port(number).starts_with("deny ")) << number << ": " << port(number);
  }
  for (const char* number : {"1", "1023"}) {
    EXPECT_EQ(port(number), "warn rendezvous/privileged-port @ spec.rendezvous.port") << number;
  }
  for (const char* number : {"32768", "60999"}) {
    EXPECT_EQ(port(number), "warn rendezvous/ephemeral-port @ spec.rendezvous.port") << number;
  }
  for (const char* number : {"1024", "32767", "61000", "65535", "29500"}) EXPECT_EQ(port(number), "") << number;
  EXPECT_EQ(port("'29500'"), "deny spec/wrong-type @ spec.rendezvous.port");
}

TEST(Ports, OfEnvAndFlags) {
  EXPECT_EQ(found(job(env("MASTER_PORT", "99999"))), "deny rendezvous/port-out-of-range" + kEnvValue);
  EXPECT_EQ(found(job(env("MASTER_PORT", "http"))), "deny rendezvous/port-out-of-range" + kEnvValue);
  EXPECT_EQ(found(job(env("MASTER_PORT", "40000"))), "warn env/handed-over-name @ " + kContainer + ".env[0]");
  EXPECT_EQ(found(job_of("torchrun, --master_port=80, t.py", "  rendezvous: {port: 80}\n")),
            "warn rendezvous/privileged-port @ spec.rendezvous.port\n"
            "warn rendezvous/privileged-port @ " +
                kContainer + ".command[1]");
}

TEST(Gpus, EveryVendorsAndLimitsBeforeRequests) {
  const auto with = [](const std::string& resources) {
    return found(
        "apiVersion: rollcall.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: llama}\nspec:\n  nnodes: 2\n"
        "  nprocPerNode: 8\n  template:\n    spec:\n      containers:\n        - name: trainer\n"
        "          command: [torchrun, t.py]\n          resources: " +
        resources + "\n");
  };
  const std::string more = "deny gpu/more-processes-than-gpus @ spec.nprocPerNode";
  for (const char* name :
       {"nvidia.com/gpu", "nvidia.com/mig-1g.10gb", "amd.com/gpu", "habana.ai/gaudi", "aws.amazon.com/neuroncore"}) {
    EXPECT_EQ(with("{limits: {" + std::string(name) + ": 4}}"), more) << name;
    EXPECT_EQ(with("{limits: {" + std::string(name) + ": '8'}}"), "") << name;
  }
  // One of these has room for several processes, or for a part of one.
  for (const char* name :
       {"google.com/tpu", "aws.amazon.com/neuron", "aws.amazon.com/neurondevice", "gpu.intel.com/i915"}) {
    EXPECT_EQ(with("{limits: {" + std::string(name) + ": 4}}"), "") << name;
    EXPECT_EQ(with("{limits: {" + std::string(name) + ": 16}}"), "") << name;
  }
  EXPECT_EQ(with("{requests: {nvidia.com/gpu: 4}}"), more);
  EXPECT_EQ(with("{limits: {nvidia.com/gpu: 8}, requests: {nvidia.com/gpu: 4}}"), "");
  EXPECT_EQ(with("{limits: {nvidia.com/mig-1g.10gb: 4, nvidia.com/mig-2g.20gb: 4}}"), "");
  EXPECT_EQ(with("{limits: {cpu: 4, gpu.intel.com/millicores: 400}}"), "");  // trains on CPUs
  EXPECT_EQ(with("{claims: [{name: gpus}]}"), "");                           // how many shows at run time
  EXPECT_EQ(with("{limits: {nvidia.com/gpu: lots}}"), "");
}

TEST(Gpus, OneJaxProcessDrivesThemAll) {
  EXPECT_EQ(found(job_of("python, t.py", "  launcher: jax\n  nprocPerNode: 1\n")), "");
}

TEST(Processes, TheFlagIsWhatStarts) {
  EXPECT_EQ(found(job_of("torchrun, --nproc_per_node=16, t.py")),
            "deny gpu/more-processes-than-gpus @ " + kContainer + ".command[1]");
  EXPECT_EQ(found(job_of("torchrun, --nproc-per-node, '8', t.py", "  nprocPerNode: 8\n")), "");
  EXPECT_EQ(found(job_of("torchrun, --nproc_per_node=gpu, t.py", "  nprocPerNode: 8\n")), "");
  EXPECT_EQ(found(job_of("torchrun, --nproc_per_node=auto, t.py", "  nprocPerNode: auto\n")), "");
  EXPECT_EQ(found(job_of("torchrun, --nproc_per_node=cpu, t.py", "  nprocPerNode: 8\n")), "");
  EXPECT_EQ(found(job_of("torchrun, --nproc_per_node=gpu, t.py", "  nprocPerNode: 4\n")),
            "deny torchrun/processes-against-spec @ " + kContainer + ".command[1]");
  EXPECT_EQ(found(job_of("torchrun, --nproc_per_node=0, t.py")),
            "deny torchrun/processes-against-spec @ " + kContainer + ".command[1]");
  EXPECT_EQ(found(job_of("torchrun, --nproc_per_node=8x, t.py")),
            "deny torchrun/processes-against-spec @ " + kContainer + ".command[1]");
}

TEST(WorldSize, CountsWhatReallyStarts) {
  EXPECT_EQ(found(job_of("torchrun, t.py", "  worldSize: 32\n")), "");  // auto: 8 GPUs
  EXPECT_EQ(found(job_of("torchrun, t.py", "  worldSize: 4\n")), "deny world/size-is-not-the-product @ spec.worldSize");
  EXPECT_EQ(found(job_of("torchrun, --nproc_per_node=$(N), t.py", "  worldSize: 4\n")), "");
}

TEST(NodeRank, IsHarmlessWhereTheBackendGivesItOut) {
  EXPECT_EQ(found(job_of("torchrun, --node_rank=0, --rdzv_backend=c10d, t.py")), "");
  EXPECT_EQ(found(job_of("torchrun, --node_rank=0, --rdzv_backend=$(B), t.py")), "");
  EXPECT_EQ(found(job_of("torchrun, --node_rank=0, --rdzv_backend=static, t.py")),
            "deny torchrun/constant-node-rank @ " + kContainer + ".command[1]");
}

TEST(HandedOver, DependsOnTheLauncher) {
  const auto of = [](const std::string& command, const std::string& name, const std::string& spec) {
    return found(
        job("          command: [" + command + "]\n          env: [{name: " + name + ", value: '1'}]\n", spec));
  };
  const std::string warn = "warn env/handed-over-name @ " + kContainer + ".env[0]";
  EXPECT_EQ(of("torchrun, t.py", "PET_NNODES", ""), warn);
  EXPECT_EQ(of("torchrun, t.py", "NODE_RANK", ""), warn);
  EXPECT_EQ(of("torchrun, t.py", "RANK", ""), "");
  EXPECT_EQ(of("python, t.py", "WORLD_SIZE", ""), "");  // 8 processes share one env
  EXPECT_EQ(of("python, t.py", "JAX_PROCESS_ID", "  launcher: jax\n"), warn);
  EXPECT_EQ(of("/app/train", "PET_NODE_RANK", ""), warn);
}

TEST(Shape, EveryFieldOfTheWrongTypeIsToldAndNothingThrows) {
  const std::string head = "apiVersion: rollcall.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: x}\n";
  EXPECT_EQ(found(head),
            "deny spec/missing-field @ spec.nnodes\ndeny spec/missing-field @ spec\n"
            "deny spec/missing-field @ spec.template.spec.containers");
  for (const char* value : {"1", "text", "[1]", "{a: 1}", "null", "true", "1.5"}) {
    for (const char* field : {"metadata", "spec"}) {
      (void)findings_of("apiVersion: rollcall.dev/v1alpha1\nkind: TrainingJob\n" + std::string(field) + ": " + value +
                        "\n");
    }
    for (const char* field :
         {"nnodes", "nprocPerNode", "worldSize", "launcher", "trainerContainer", "rendezvous", "template"}) {
      (void)findings_of(head + "spec: {" + field + ": " + value + "}\n");
    }
    for (const char* field : {"name", "command", "args", "env", "resources", "image"}) {
      (void)findings_of(head + "spec: {nnodes: 2, template: {spec: {containers: [{" + field + ": " + value + "}]}}}\n");
      (void)findings_of(head + "spec: {nnodes: 2, template: {spec: {containers: " + value + "}}}\n");
      (void)findings_of(head + "spec: {nnodes: 2, template: {spec: {containers: [{command: [" + value +
                        ", {a: b}], env: [" + value + "], resources: {limits: " + value + "}}]}}}\n");
    }
  }
}

TEST(Shape, Bounds) {
  EXPECT_EQ(found(job_of("torchrun, t.py", "  nnodes: 4097\n")), "deny spec/out-of-range @ spec.nnodes");
  EXPECT_EQ(found(job_of("torchrun, t.py", "  nprocPerNode: 1025\n")), "deny spec/out-of-range @ spec.nprocPerNode");
  EXPECT_EQ(found(job_of("torchrun, t.py", "  nprocPerNode: '8'\n")), "deny spec/wrong-type @ spec.nprocPerNode");
  EXPECT_EQ(found(job_of("torchrun, t.py", "  launcher: mpirun\n")), "deny spec/out-of-range @ spec.launcher");
  EXPECT_EQ(found(job_of("torchrun, t.py", "  nprocPerNod: 8\n")), "warn spec/misspelt-field @ spec.nprocPerNod");
  EXPECT_EQ(found(job_of("torchrun, t.py", "  somethingOfALaterVersion: 8\n")), "");
}

TEST(Shape, OfSetupAndChecks) {
  const auto said = [](const std::string& fields) {
    return found(job_of("torchrun, t.py", "  rollCall: {" + fields + "}\n"));
  };
  const auto checks = [&said](const std::string& check) { return said("checks: [" + check + "]"); };
  EXPECT_EQ(said("nccl: Bundled, setup: '. /opt/fabric/profile.sh'"), "");
  EXPECT_EQ(checks("{name: nfs, command: [stat, /data], compare: true, deadlineSeconds: 600}"), "");
  EXPECT_EQ(said("nccl: bundled"), "deny spec/out-of-range @ spec.rollCall.nccl");
  EXPECT_EQ(said("setup: [a]"), "deny spec/wrong-type @ spec.rollCall.setup");
  EXPECT_EQ(said("setup: " + std::string(16384, 'a')), "");
  EXPECT_EQ(said("setup: " + std::string(16385, 'a')), "deny spec/out-of-range @ spec.rollCall.setup");
  EXPECT_EQ(said("checks: {a: b}"), "deny spec/wrong-type @ spec.rollCall.checks");
  EXPECT_EQ(checks("true"), "deny spec/wrong-type @ spec.rollCall.checks[0]");
  EXPECT_EQ(checks("{command: [\"true\"]}"), "deny spec/missing-field @ spec.rollCall.checks[0].name");
  EXPECT_EQ(checks("{name: A, command: [a]}"), "deny spec/out-of-range @ spec.rollCall.checks[0].name");
  EXPECT_EQ(checks("{name: a, command: [a]}, {name: a, command: [b]}"),
            "deny spec/out-of-range @ spec.rollCall.checks[1].name");
  EXPECT_EQ(checks("{name: a}"), "deny spec/missing-field @ spec.rollCall.checks[0].command");
  EXPECT_EQ(checks("{name: a, command: stat /data}"), "deny spec/wrong-type @ spec.rollCall.checks[0].command");
  EXPECT_EQ(checks("{name: a, command: []}"), "deny spec/out-of-range @ spec.rollCall.checks[0].command");
  EXPECT_EQ(checks("{name: a, command: [sleep, 5]}"), "deny spec/wrong-type @ spec.rollCall.checks[0].command[1]");
  EXPECT_EQ(checks("{name: a, command: [a], compare: 'yes'}"),
            "deny spec/wrong-type @ spec.rollCall.checks[0].compare");
  EXPECT_EQ(checks("{name: a, command: [a], deadlineSeconds: 601}"),
            "deny spec/out-of-range @ spec.rollCall.checks[0].deadlineSeconds");
  EXPECT_EQ(checks("{name: a, command: [a], deadline: 6}"), "");
  EXPECT_EQ(checks("{name: a, command: [a], deadlineSecond: 6}"),
            "warn spec/misspelt-field @ spec.rollCall.checks[0].deadlineSecond");
  std::string many, long_one = "{name: a, command: [";
  for (int i = 0; i < 17; ++i) many += "{name: c" + std::to_string(i) + ", command: [a]},";
  for (int i = 0; i < 5; ++i) long_one += std::string(14000, 'a') + ",";
  EXPECT_EQ(checks(many), "deny spec/out-of-range @ spec.rollCall.checks");
  EXPECT_EQ(checks(long_one + "]}"), "deny spec/out-of-range @ spec.rollCall.checks");
}

TEST(Shape, NamesFitThePods) {
  std::string manifest = job_of("torchrun, t.py");
  manifest.replace(manifest.find("llama"), 5, std::string(49, 'a'));
  EXPECT_EQ(found(manifest), "deny spec/out-of-range @ metadata.name");
}

TEST(Lists, FindingsStandAtTheItemAndPathsAreItsOwn) {
  std::string item = job_of("torchrun, --nnodes=2, t.py");
  std::string list = "kind: ConfigMap\n---\n---\napiVersion: v1\nkind: List\nitems:\n  - {kind: Service}\n  - ";
  for (const char c : item) list += c == '\n' ? std::string("\n    ") : std::string(1, c);
  const Findings findings = findings_of(list);
  ASSERT_EQ(short_of(findings), "deny torchrun/nnodes-against-spec @ " + kContainer + ".command[1]");
  EXPECT_EQ(findings[0].place.document, 1);
  EXPECT_EQ(findings[0].place.item, 1);
  EXPECT_EQ(findings[0].place.line, 19);
}

TEST(Suppression, TakesOutWhatHasAReason) {
  std::string manifest = job_of("torchrun, --nnodes=2, t.py");
  manifest.replace(
      manifest.find("{name: llama}"), 13,
      "{name: llama, annotations: {rollcall.dev/ignore: 'torchrun/nnodes-against-spec: the wrapper rewrites it'}}");
  EXPECT_EQ(found(manifest), "");
}

TEST(OtherKinds, ArePassedOver) {
  EXPECT_EQ(found("apiVersion: batch/v1\nkind: Job\nspec: {nnodes: 0}\n"), "");
  EXPECT_EQ(found("apiVersion: kubeflow.org/v1\nkind: TrainingJob\n"), "");
  EXPECT_EQ(found("- 1\n- 2\n"), "");
  EXPECT_EQ(found("just text\n"), "");
}

TEST(Words, AreThoseOfTheStyle) {
  const Findings findings = findings_of(fixture("launch/rules/rendezvous/host-name/wrong.yaml"));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(sentence(findings[0]),
            "spec.rendezvous.masterAddr: `gpu-0.train` is a host name; nodes may resolve it differently (loopback on "
            "the node "
            "itself is the usual case). Leave it out: the operator hands every rank the address of rank 0's pod. "
            "[rendezvous/host-name]");
}

}  // namespace
}  // namespace rollcall::launch
