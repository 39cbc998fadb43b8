// Kinds of other projects: what is read of them, and what is never denied.
#include <gtest/gtest.h>

#include "launch/kinds/readers.h"
#include "tests/launch/manifests.h"

namespace rollcall::launch {
namespace {

using test::found;
using test::kService;
using test::short_of;

/// An Indexed Job; `container` are further fields of its container, `spec` of the Job.
std::string indexed(const std::string& command, const std::string& spec = "", const std::string& container = "") {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: llama}\nspec:\n  completionMode: Indexed\n"
         "  parallelism: 4\n  completions: 4\n" +
         spec +
         "  template:\n    spec:\n      subdomain: llama\n      containers:\n        - name: c\n          image: "
         "t:1\n" +
         container + "          resources: {limits: {nvidia.com/gpu: 8}}\n          command: " + command + "\n";
}

std::string script(const std::string& text) { return "[bash, -c, '" + text + "']"; }

std::string pytorch(int master, int workers, const std::string& command, const std::string& spec = "") {
  const auto role = [&](const char* name, int replicas) {
    return "    " + std::string(name) + ":\n      replicas: " + std::to_string(replicas) +
           "\n      template: {spec: {containers: [{name: pytorch, image: 't:1', command: " + command +
           ", resources: {limits: {nvidia.com/gpu: 8}}}]}}\n";
  };
  return "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: llama}\nspec:\n" + spec +
         "  pytorchReplicaSpecs:\n" + (master > 0 ? role("Master", master) : "") +
         (workers > 0 ? role("Worker", workers) : "");
}

const std::string kBeginning = "torchrun --nproc_per_node=8 --master_addr=llama-0.llama ";
const std::string kAt = "spec.template.spec.containers[0].command[2]";

TEST(Kinds, AreToldByGroupVersionAndName) {
  const auto kind = [](const char* version, const char* name) {
    const KindReader* reader = reader_of({{"apiVersion", version}, {"kind", name}});
    return reader == nullptr ? -1 : static_cast<int>(reader->kind);
  };
  EXPECT_EQ(kind("batch/v1", "Job"), static_cast<int>(JobKind::batch_job));
  EXPECT_EQ(kind("batch.volcano.sh/v1alpha1", "Job"), static_cast<int>(JobKind::volcano_job));
  EXPECT_EQ(kind("v1", "Pod"), static_cast<int>(JobKind::pod));
  EXPECT_EQ(kind("kubeflow.org/v2beta1", "MPIJob"), static_cast<int>(JobKind::mpi_job));
  EXPECT_EQ(kind("rollcall.dev/v1beta9", "TrainingJob"), static_cast<int>(JobKind::training_job));
  for (const auto& [version, name] : {std::pair{"batch/v1", "CronJob"}, {"example.dev/v1", "Job"}, {"v1", "Service"}})
    EXPECT_EQ(kind(version, name), -1) << version << " " << name;
}

TEST(Kinds, OfAnObjectThatIsATrainingJobIsNotAsked) {
  const nlohmann::json claims{{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"spec", {{"nnodes", "four"}}}};
  EXPECT_NE(short_of(check_object(claims)).find("spec/wrong-type @ spec.nnodes"), std::string::npos);
  EXPECT_EQ(short_of(check_by_kind(claims).findings), "");
}

TEST(Kinds, WhatTrainsNothingIsPassedOver) {
  EXPECT_EQ(
      found("apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec:\n  replicas: 3\n  serviceName: ''\n"
            "  template: {spec: {containers: [{name: db, image: 'db:1', args: [1]}]}}\n"),
      "");
  EXPECT_EQ(found("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: 7}\n"), "");
}

TEST(Kinds, BrokenObjectsAreReadWithoutHarm) {
  for (const KindReader& reader : all_readers()) {
    const std::string head = "apiVersion: " + std::string(reader.group) + (reader.group.empty() ? "" : "/") +
                             (reader.version.empty() ? "v1" : std::string(reader.version)) +
                             "\nkind: " + std::string(reader.name) + "\n";
    for (const char* rest :
         {"", "spec: 1\n", "spec: []\n", "spec: {template: [], tasks: {}, replicatedJobs: 3, pytorchReplicaSpecs: x}\n",
          "spec: {tasks: [1, null], replicatedJobs: [null], pytorchReplicaSpecs: {Master: {replicas: -1, template: "
          "3}}}\n",
          "spec: {mpiReplicaSpecs: {Launcher: {template: {spec: {containers: [null]}}}, Worker: {replicas: 1e9}}}\n",
          "spec: {leaderWorkerTemplate: {size: many, leaderTemplate: {}, workerTemplate: 1}}\n"}) {
      EXPECT_TRUE(check_text(head + rest, "x.yaml").ok()) << head << rest;
    }
  }
}

TEST(NodesOfPyTorchJob, MasterAndWorkersCount) {
  EXPECT_EQ(found(pytorch(1, 3, "[torchrun, --nnodes=4, t.py]")), "");
  EXPECT_EQ(found(pytorch(1, 3, "[torchrun, '--nnodes=1:4', t.py]")), "");
  EXPECT_EQ(found(pytorch(1, 3, "[torchrun, --nnodes=$(N), t.py]")), "");
  EXPECT_EQ(found(pytorch(0, 3, "[torchrun, --nnodes=2, t.py]", "  elasticPolicy: {minReplicas: 1, maxReplicas: 4}\n")),
            "");
  EXPECT_EQ(found(pytorch(1, 0, "[torchrun, --nnodes=2, t.py]")),
            "deny torchrun/nnodes-against-spec @ "
            "spec.pytorchReplicaSpecs.Master.template.spec.containers[0].command[1]");
}

TEST(NodesOfJob, AreDeniedOnlyWhereTheIndexSettlesThem) {
  const std::string deny = "deny torchrun/nnodes-against-spec @ " + kAt;
  EXPECT_EQ(found(kService + indexed(script(kBeginning + "--nnodes=4 --node_rank=$JOB_COMPLETION_INDEX t.py"))), "");
  EXPECT_EQ(found(kService + indexed(script(kBeginning + "--nnodes=8 --node_rank=$JOB_COMPLETION_INDEX t.py"))), deny);
  EXPECT_EQ(
      found(kService + indexed(script("R=$JOB_COMPLETION_INDEX; " + kBeginning + "--nnodes=2 --node_rank=$R t.py"))),
      deny);
  // Another object's pods may be the other nodes.
  EXPECT_EQ(found(kService + indexed(script(kBeginning + "--nnodes=8 --node_rank=$((4 + JOB_COMPLETION_INDEX)) t.py"))),
            "");
  EXPECT_EQ(found(kService + indexed(script(kBeginning + "--nnodes=8 --node_rank=$RANK t.py"))), "");
  const std::string one = indexed(script(kBeginning + "--nnodes=8 --node_rank=$JOB_COMPLETION_INDEX t.py"));
  EXPECT_EQ(found(kService + one + "---\n" + one), "");
}

TEST(Rank, OneInEveryPod) {
  const std::string deny = "deny torchrun/constant-node-rank @ " + kAt;
  EXPECT_EQ(found(kService + indexed(script(kBeginning + "--nnodes=4 --node_rank=0 t.py"))), deny);
  EXPECT_EQ(found(kService + indexed(script("torchrun --nproc_per_node=8 --rdzv_backend=c10d "
                                            "--rdzv_endpoint=llama-0.llama:29500 --nnodes=4 --node_rank=0 t.py"))),
            "");
  EXPECT_EQ(found(pytorch(1, 1, "[torchrun, --node_rank=0, t.py]")), "");                   // one pod of each template
  EXPECT_EQ(found(indexed(script("torchrun --nproc_per_node=8 --node_rank=0 t.py"))), "");  // each pod by itself
}

TEST(Master, LocalhostIsForOneNode) {
  EXPECT_EQ(found(indexed(script("torchrun --nproc_per_node=8 --master_addr=localhost t.py"))), "");
  EXPECT_EQ(found(indexed(script("torchrun --nproc_per_node=8 --nnodes=4 --node_rank=$JOB_COMPLETION_INDEX "
                                 "--master_addr=127.0.0.1 t.py"))),
            "deny rendezvous/localhost @ " + kAt);
  const std::string jax =
      "          env: [{name: JAX_COORDINATOR_ADDRESS, value: 'localhost:1'}, {name: JAX_NUM_PROCESSES, value: '4'},"
      " {name: JAX_PROCESS_ID, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]\n";
  EXPECT_EQ(found(indexed("[python, t.py]", "", jax)),
            "deny rendezvous/localhost @ spec.template.spec.containers[0].env[0].value");
  // The controller's value stands behind the manifest's and wins.
  const std::string overridden =
      found(pytorch(1, 3, "[torchrun, t.py], env: [{name: MASTER_ADDR, value: localhost}, {name: RANK, value: '0'}]"));
  EXPECT_EQ(overridden.find("deny"), std::string::npos) << overridden;
  EXPECT_NE(overridden.find("warn env/overridden-by-controller @ spec.pytorchReplicaSpecs.Master"), std::string::npos);
}

TEST(Names, OfPodsThatAreAndAreNot) {
  const auto of = [](const std::string& host, const std::string& before = kService) {
    return found(before + indexed(script("torchrun --nproc_per_node=8 --nnodes=4 --node_rank=$JOB_COMPLETION_INDEX "
                                         "--master_addr=" +
                                         host + " t.py")));
  };
  const std::string deny = "deny rendezvous/name-of-no-pod @ " + kAt;
  for (const char* fine :
       {"llama-0.llama", "llama-0.llama.team.svc.cluster.local", "gpu-17.example.test", "master", "other-0.other"})
    EXPECT_EQ(of(fine), "") << fine;
  EXPECT_EQ(of("10.0.0.7"), "warn rendezvous/written-down-address @ " + kAt);
  for (const char* wrong : {"llama-0", "llama-0.lama", "llama-4.llama"}) EXPECT_EQ(of(wrong), deny) << wrong;
  EXPECT_EQ(of("llama-0.llama", ""), "");  // the Service may be in the cluster
  EXPECT_EQ(of("llama-0.llama",
               "apiVersion: v1\nkind: Service\nmetadata: {name: llama}\nspec: {selector: {job-name: "
               "llama}}\n---\n"),
            deny);
  EXPECT_EQ(of("llama-0.llama",
               "apiVersion: v1\nkind: Service\nmetadata: {name: llama}\nspec: {clusterIP: None, "
               "selector: {app: lama}}\n---\n"),
            deny);
}

TEST(Context, MayStandBehindTheJobAndInAList) {
  const std::string job =
      indexed(script("torchrun --nproc_per_node=8 --nnodes=4 --rdzv_backend=c10d "
                     "--rdzv_endpoint=head:29500 t.py"));
  const std::string service = "apiVersion: v1\nkind: Service\nmetadata: {name: head}\nspec: {selector: {a: b}}\n";
  const std::string deny = "deny rendezvous/c10d-through-cluster-ip @ " + kAt;
  EXPECT_EQ(found(job), "");
  EXPECT_EQ(found(job + "---\n" + service), deny);
  EXPECT_EQ(found(service + "---\n" + job), deny);
  EXPECT_EQ(
      found(job + "---\napiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Service, metadata: {name: head}, "
                  "spec: {selector: {a: b}}}]\n"),
      deny);
}

TEST(Processes, OfOtherLaunchers) {
  const auto accelerate = [](const std::string& processes) {
    return found(kService +
                 indexed("[accelerate, launch, --num_machines=4, --num_processes=" + processes +
                         ", --machine_rank=$(JOB_COMPLETION_INDEX), --main_process_ip=llama-0.llama, t.py]"));
  };
  EXPECT_EQ(accelerate("32"), "");
  EXPECT_TRUE(accelerate("64").starts_with("deny gpu/more-processes-than-gpus"));
  EXPECT_TRUE(accelerate("16").starts_with("warn gpu/fewer-processes-than-gpus"));
  EXPECT_EQ(found(pytorch(1, 3, "[torchrun, t.py]", "  nprocPerNode: '16'\n")),
            "deny gpu/more-processes-than-gpus @ spec.nprocPerNode");
  EXPECT_EQ(found(pytorch(1, 3, "[torchrun, t.py]")), "");  // auto
}

TEST(Gang, TasksThatWaitForOthersCannotBeInIt) {
  const auto of = [](const std::string& depends) {
    return found(
        "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: llama}\nspec:\n  minAvailable: 1\n"
        "  tasks:\n    - {name: a, replicas: 3, template: {spec: {containers: [{name: c, image: 't:1', "
        "resources: {limits: {nvidia.com/gpu: 1}}}]}}" +
        depends + "}\n");
  };
  EXPECT_EQ(of(""), "warn scheduling/gang-smaller-than-job @ spec.minAvailable");
  EXPECT_EQ(of(", dependsOn: {name: [b]}"), "");
}

TEST(Gang, OfZeroIsTheWholeJobAndAnElasticOneMayBeSmaller) {
  const auto of = [](const std::string& gang, const std::string& nnodes) {
    return found(
        "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: llama}\nspec:\n  minAvailable: " + gang +
        "\n  plugins: {svc: []}\n  tasks:\n    - {name: a, replicas: 4, template: {spec: {containers: [{name: c, "
        "image: 't:1', "
        "resources: {limits: {nvidia.com/gpu: 1}}, command: [torchrun, '--nnodes=" +
        nnodes + "', --rdzv-backend=c10d, '--rdzv-endpoint=llama-a-0.llama:29400', t.py]}]}}}\n");
  };
  EXPECT_EQ(of("0", "4"), "");
  EXPECT_EQ(of("2", "2:4"), "");
  EXPECT_EQ(of("1", "2:4"), "warn scheduling/gang-smaller-than-job @ spec.minAvailable");
  EXPECT_EQ(of("2", "4"), "warn scheduling/gang-smaller-than-job @ spec.minAvailable");
}

TEST(Rank, OfALoneWorkerMayBeWritten) {
  const std::string container =
      "{spec: {containers: [{name: pytorch, image: 't:1', resources: {limits: {nvidia.com/gpu: 8}}, command: "
      "[accelerate, launch, --num_machines=2, --num_processes=16, --main_process_ip=llama-master-0, --machine_rank=";
  EXPECT_EQ(found("apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: llama}\nspec:\n"
                  "  pytorchReplicaSpecs:\n    Master: {replicas: 1, template: " +
                  container + "0, t.py]}]}}}\n    Worker: {replicas: 1, template: " + container + "1, t.py]}]}}}\n"),
            "");
}

TEST(Types, ThatTheApiServerRefuses) {
  EXPECT_EQ(found(pytorch(1, 3, "[torchrun, t.py]", "  nprocPerNode: 8\n")),
            "deny spec/wrong-type @ spec.nprocPerNode");
  EXPECT_EQ(found(indexed("[python, t.py, --steps, 8]")),
            "deny spec/wrong-type @ spec.template.spec.containers[0].command[3]");
  EXPECT_EQ(found(indexed("[python, t.py]", "", "          env: [{name: A, value: 1}, {name: B, value: null}]\n")),
            "deny spec/wrong-type @ spec.template.spec.containers[0].env[0].value");
}

}  // namespace
}  // namespace rollcall::launch
