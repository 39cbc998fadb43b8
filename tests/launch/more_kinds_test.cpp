// JAXJob, MPIJob v1, RayCluster and RayJob, bare Pods that are one world, and kinds that are nearly known.
#include <gtest/gtest.h>

#include "launch/kinds/context.h"
#include "launch/kinds/node_pods.h"
#include "launch/kinds/readers.h"
#include "launch/rules/ray/image_version.h"
#include "tests/launch/manifests.h"

namespace rollcall::launch {
namespace {

using test::findings_of;
using test::found;

std::string jax_job(const std::string& env) {
  return "apiVersion: kubeflow.org/v1\nkind: JAXJob\nmetadata: {name: llama}\nspec:\n  jaxReplicaSpecs:\n    Worker:\n"
         "      replicas: 2\n      template: {spec: {containers: [{name: jax, image: 'j:1', command: [python, t.py], "
         "resources: {limits: {nvidia.com/gpu: 4}}, env: [" +
         env + "]}]}}\n";
}

TEST(JaxJob, IsToldByItsController) {
  EXPECT_EQ(found(jax_job("")), "");
  EXPECT_EQ(found(jax_job("{name: JAX_COORDINATOR_ADDRESS, value: '$(COORDINATOR_ADDRESS):$(COORDINATOR_PORT)'}, "
                          "{name: JAX_NUM_PROCESSES, value: $(NUM_PROCESSES)}, {name: JAX_PROCESS_ID, value: "
                          "$(PROCESS_ID)}")),
            "");
  EXPECT_EQ(found(jax_job("{name: JAX_COORDINATOR_ADDRESS, value: 'localhost:1234'}, {name: JAX_NUM_PROCESSES, value: "
                          "'2'}, {name: JAX_PROCESS_ID, value: $(PROCESS_ID)}")),
            "deny rendezvous/localhost @ spec.jaxReplicaSpecs.Worker.template.spec.containers[0].env[0].value");
}

/// A PyTorchJob of one pod whose container and pod go on as given.
std::string one_pod(const std::string& container, const std::string& pod = "") {
  return "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: llama}\nspec:\n  pytorchReplicaSpecs:\n"
         "    Master: {replicas: 1, template: {spec: {" +
         pod + "containers: [{name: pytorch, image: 'p:1', " + container + "}]}}}\n";
}

TEST(Devices, OfANameThatIsNotKnownOrOfARuntimesOwnAreNotDenied) {
  const std::string counted = "command: [torchrun, --nproc-per-node=gpu, t.py]";
  EXPECT_NE(found(one_pod(counted)), "");
  EXPECT_NE(found(one_pod(counted + ", resources: {limits: {memory: 8Gi, rdma/ib: 1}}")), "");
  EXPECT_EQ(found(one_pod(counted + ", resources: {limits: {gpu.example.test/h100: 8}}")), "");
  EXPECT_EQ(found(one_pod(counted, "runtimeClassName: nvidia, ")), "");
}

TEST(Devices, AreNotWhatGlooComputesOn) {
  const std::string gpus = ", resources: {limits: {nvidia.com/gpu: 4}}";
  EXPECT_NE(found(one_pod("command: [torchrun, --nproc-per-node=8, t.py]" + gpus)), "");
  EXPECT_EQ(found(one_pod("command: [torchrun, --nproc-per-node=8, t.py, --backend=gloo]" + gpus)), "");
}

TEST(Devices, ThatAScriptShowsAnewAreNotThoseOfTheEnv) {
  for (const char* value : {"'0'", "'4,5'"}) {
    const auto with = [value](const std::string& before) {
      return found(one_pod("command: [bash, -c, '" + before +
                           "torchrun --nproc-per-node=4 t.py'], env: [{name: "
                           "CUDA_VISIBLE_DEVICES, value: " +
                           value + "}], resources: {limits: {nvidia.com/gpu: 4}}"));
    };
    EXPECT_NE(with(""), "") << value;
    for (const char* before : {"unset CUDA_VISIBLE_DEVICES; ", "export CUDA_VISIBLE_DEVICES=$(seq -s, 0 3); ",
                               "CUDA_VISIBLE_DEVICES=0,1,2,3 "}) {
      EXPECT_EQ(with(before), "") << before << value;
    }
  }
}

TEST(Limits, ThousandsOfRolesAreNotWeighedForMinutes) {
  std::string job =
      "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: l}\nspec:\n  plugins: {svc: [], env: []}\n"
      "  tasks:\n";
  for (int i = 0; i < 3000; ++i) {
    job += "  - {name: r" + std::to_string(i) +
           ", replicas: 1, template: {spec: {containers: [{name: c, image: 'x:1', command: [torchrun, --nnodes=3000, "
           "--node-rank=" +
           std::to_string(i % 2999) +
           ", --master-addr=l-r0-0.l, t.py], resources: {limits: {nvidia.com/gpu: 8}}}]}}}\n";
  }
  EXPECT_NE(found(job).find("deny rank/same-rank-twice @ spec.tasks[2999]"), std::string::npos);
}

TEST(Deepspeed, WithoutAHostFileEachPodTrainsForItself) {
  const auto job = [](const std::string& hosts) {
    return found(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: llama}\nspec:\n  parallelism: 4\n  completionMode: "
        "Indexed\n  template: {spec: {containers: [{name: c, image: 'd:1', command: [deepspeed, --hostfile=" +
        hosts + ", --num_gpus=8, t.py], resources: {limits: {nvidia.com/gpu: 8}}}]}}\n");
  };
  EXPECT_NE(job("/job/hosts"), "");
  EXPECT_EQ(job("/dev/null"), "");
}

std::string mpi_job(const std::string& version, const std::string& launcher_resources, int ranks) {
  return "apiVersion: kubeflow.org/" + version +
         "\nkind: MPIJob\nmetadata: {name: llama}\nspec:\n  slotsPerWorker: 4\n  mpiReplicaSpecs:\n"
         "    Launcher: {replicas: 1, template: {spec: {containers: [{name: mpi, image: 'm:1', command: [mpirun, "
         "--allow-run-as-root, -np, '" +
         std::to_string(ranks) + "', python, t.py]" + launcher_resources +
         "}]}}}\n    Worker: {replicas: 2, template: {spec: {containers: [{name: mpi, image: 'm:1', resources: "
         "{limits: "
         "{nvidia.com/gpu: 4}}}]}}}\n";
}

TEST(MpiJob, RanksThatHaveTheirGpusWantMoreSlots) {
  const auto findings = test::findings_of(
      "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: llama}\nspec:\n  slotsPerWorker: 4\n"
      "  mpiReplicaSpecs:\n"
      "    Launcher: {template: {spec: {containers: [{name: l, image: 't:1', command: [mpirun, -np, '16', t]}]}}}\n"
      "    Worker: {replicas: 2, template: {spec: {containers: [{name: w, image: 't:1', "
      "resources: {limits: {nvidia.com/gpu: 8}}}]}}}\n");
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].rule, "mpi/more-ranks-than-slots");
  EXPECT_EQ(findings[0].fix, "Write slotsPerWorker: 8.");
  EXPECT_EQ(findings[0].patch, R"([{"op":"replace","path":"/spec/slotsPerWorker","value":8}])");
}

TEST(MpiJob, OfVersionOneCountsALauncherWithGpus) {
  const std::string deny =
      "deny mpi/more-ranks-than-slots @ spec.mpiReplicaSpecs.Launcher.template.spec.containers[0].command[3]";
  const auto denial = [](const std::string& text) {
    const std::string all = found(text);
    const auto at = all.find("deny");
    return at == std::string::npos ? std::string() : all.substr(at, all.find('\n', at) - at);
  };
  const std::string gpus = ", resources: {limits: {nvidia.com/gpu: 4}}";
  EXPECT_EQ(denial(mpi_job("v1", "", 8)), "");
  EXPECT_EQ(denial(mpi_job("v1", "", 12)), deny);
  EXPECT_EQ(denial(mpi_job("v1", gpus, 12)), "");
  EXPECT_EQ(denial(mpi_job("v2beta1", gpus, 12)), deny);
}

std::string ray_cluster(const std::string& worker, const std::string& head = "") {
  return "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: llama}\nspec:\n  headGroupSpec: {rayStartParams: "
         "{" +
         head +
         "}, template: {spec: {containers: [{name: h, image: 'rayproject/ray:2.46.0'}]}}}\n  workerGroupSpecs:\n"
         "    - {groupName: g, replicas: 2, minReplicas: 0, maxReplicas: 4, " +
         worker + "}\n";
}

TEST(Ray, GpusOfAGroup) {
  const auto of = [](const std::string& params, const std::string& gpus) {
    return found(
        ray_cluster("rayStartParams: {" + params +
                    "}, template: {spec: {containers: [{name: w, image: 'rayproject/ray:2.46.0-gpu', resources: "
                    "{limits: {" +
                    gpus + "}}}]}}"));
  };
  EXPECT_EQ(of("", "nvidia.com/gpu: 8"), "");
  EXPECT_EQ(of("num-gpus: '8'", "nvidia.com/gpu: 8"), "");
  EXPECT_EQ(of("num-gpus: $(N)", "nvidia.com/gpu: 8"), "");
  EXPECT_EQ(of("num-gpus: 8", "nvidia.com/gpu: 8"),
            "deny spec/wrong-type @ spec.workerGroupSpecs[0].rayStartParams.num-gpus");
  EXPECT_EQ(of("num-gpus: '0'", "cpu: 8"), "");
  EXPECT_EQ(found(ray_cluster("rayStartParams: {}, template: {spec: {containers: [{name: w, image: 'x:1'}]}}",
                              "num-gpus: '0'")),
            "");
}

TEST(Ray, VersionsOfItsOwnImagesAlone) {
  using rules::ray_image_of;
  EXPECT_EQ(ray_image_of("rayproject/ray:2.46.0").version, "2.46.0");
  EXPECT_EQ(ray_image_of("mirror.example.test/hub/rayproject/ray-ml:2.9.0-py310-gpu").python, "310");
  for (const char* other : {"rayproject/ray:nightly", "rayproject/ray:latest", "rayproject/ray", "example/train:2.46.0",
                            "rayproject/ray:2.46", "rayproject/ray:2.46.0rc1", "ray@sha256:0", ""})
    EXPECT_EQ(ray_image_of(other).version, "") << other;
}

std::string pod(const std::string& name, const std::string& rank, const std::string& rest = "") {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         "}\nspec: {containers: [{name: c, image: 't:1', command: "
         "[torchrun, --nproc-per-node=1, --nnodes=2, --node-rank=" +
         rank + ", --master-addr=10.0.0.7, --master-port=23456" + rest +
         ", t.py], resources: {limits: {nvidia.com/gpu: 1}}}]}\n---\n";
}

TEST(NodePods, MeetAtOneAddress) {
  const std::string deny = "deny pods/same-node-rank @ spec.containers[0].command[3]";
  EXPECT_EQ(found(pod("a", "0") + pod("b", "1")), "");
  EXPECT_EQ(found(pod("a", "0") + pod("b", "0")), deny);
  EXPECT_EQ(found(pod("a", "0") + pod("a", "0")), "") << "one pod, written twice";
  EXPECT_EQ(found(pod("a", "0") + pod("b", "$(RANK)")), "");
  EXPECT_EQ(found(pod("a", "0") + pod("b", "0", ", --rdzv-backend=c10d, '--rdzv-endpoint=10.0.0.7:1'")), "");
  EXPECT_EQ(found(pod("a", "0") + pod("b", "0", ", --master-port=23457")), "") << "another port, another world";
}

TEST(NearKinds, AreToldOf) {
  const auto of = [](const std::string& version, const std::string& kind) {
    return found("apiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: l}\nspec: {a: 1}\n");
  };
  const std::string kind = "warn spec/misspelt-kind @ kind", version = "warn spec/misspelt-kind @ apiVersion";
  EXPECT_EQ(of("kubeflow.org/v1", "PytorchJob"), kind);
  EXPECT_EQ(of("rollcall.dev/v1alpha1", "Trainingjob"), kind);
  EXPECT_EQ(of("trainer.kubeflow.org/v1alpha1", "TrainJobs"), kind);
  EXPECT_EQ(of("jobset.x-k8s.io/v1alpha2", "Jobset"), kind);
  EXPECT_EQ(of("kubeflow.org/v1", "TrainJob"), version);
  EXPECT_EQ(of("batch/v1", "JobSet"), version);
  EXPECT_EQ(of("rollcal.dev/v1alpha1", "TrainingJob"), version);
  for (const auto& [group, other] : {std::pair{"kubeflow.org/v1", "TFJob"},
                                     {"kubeflow.org/v1", "XGBoostJob"},
                                     {"batch/v1", "CronJob"},
                                     {"apps/v1", "DaemonSet"},
                                     {"apps/v1", "Deployment"},
                                     {"ray.io/v1", "RayService"},
                                     {"v1", "Service"},
                                     {"sagemaker.services.k8s.aws/v1alpha1", "TrainingJob"},
                                     {"kubeflow.org/v1alpha2", "MPIJob"},
                                     {"networking.k8s.io/v1", "NetworkPolicy"},
                                     {"trainer.kubeflow.org/v1alpha1", "OptimizationJob"},
                                     {"example.dev/v1", "Job"},
                                     {"kueue.x-k8s.io/v1beta1", "ClusterQueue"}})
    EXPECT_EQ(of(group, other), "") << group << " " << other;
}

TEST(Misspelt, FieldsOfPodsOfEveryKind) {
  const auto of = [](const std::string& pod_field, const std::string& container_field) {
    return found("apiVersion: batch/v1\nkind: Job\nmetadata: {name: l}\nspec: {template: {spec: {" + pod_field +
                 "containers: [{name: c, image: 't:1', command: [torchrun, t.py], " + container_field +
                 "resources: {limits: {nvidia.com/gpu: 1}}}]}}}\n");
  };
  EXPECT_EQ(of("", ""), "");
  EXPECT_EQ(of("nodeselector: {a: b}, ", ""), "warn spec/misspelt-field @ spec.template.spec.nodeselector");
  EXPECT_EQ(of("", "volumeMount: [], "), "warn spec/misspelt-field @ spec.template.spec.containers[0].volumeMount");
  EXPECT_EQ(of("", "env: [{name: A, valu: b}], "),
            "warn spec/misspelt-field @ spec.template.spec.containers[0].env[0].valu");
  EXPECT_EQ(of("somethingNew: 1, ", "x-note: 1, "), "");
}

}  // namespace
}  // namespace rollcall::launch
