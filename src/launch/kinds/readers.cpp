#include "launch/kinds/readers.h"

#include <array>
#include <string>

#include "launch/kinds/other_kinds.h"
#include "launch/kinds/training_job.h"

namespace rollcall::launch {
namespace {

std::optional<Launch> training_job(const nlohmann::json& object, const Context& around) {
  return read_training_job(object, &around);
}

constexpr std::array kReaders{
    KindReader{JobKind::training_job, "rollcall.dev", "", "TrainingJob", training_job},
    KindReader{JobKind::pytorch_job, "kubeflow.org", "v1", "PyTorchJob", read_pytorch_job},
    KindReader{JobKind::mpi_job, "kubeflow.org", "v2beta1", "MPIJob", read_mpi_job},
    KindReader{JobKind::mpi_job, "kubeflow.org", "v1", "MPIJob", read_mpi_job_v1},
    KindReader{JobKind::jax_job, "kubeflow.org", "v1", "JAXJob", read_jax_job},
    KindReader{JobKind::ray_cluster, "ray.io", "v1", "RayCluster", read_ray_cluster},
    KindReader{JobKind::ray_job, "ray.io", "v1", "RayJob", read_ray_job},
    KindReader{JobKind::batch_job, "batch", "v1", "Job", read_batch_job},
    KindReader{JobKind::job_set, "jobset.x-k8s.io", "v1alpha2", "JobSet", read_job_set},
    KindReader{JobKind::leader_worker_set, "leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet", read_leader_worker_set},
    KindReader{JobKind::volcano_job, "batch.volcano.sh", "v1alpha1", "Job", read_volcano_job},
    KindReader{JobKind::stateful_set, "apps", "v1", "StatefulSet", read_stateful_set},
    KindReader{JobKind::pod, "", "v1", "Pod", read_bare_pod},
    KindReader{JobKind::train_job, "trainer.kubeflow.org", "v1alpha1", "TrainJob", read_train_job},
    KindReader{JobKind::training_runtime, "trainer.kubeflow.org", "v1alpha1", "TrainingRuntime", read_training_runtime},
    KindReader{JobKind::training_runtime, "trainer.kubeflow.org", "v1alpha1", "ClusterTrainingRuntime",
               read_training_runtime},
};

}  // namespace

std::span<const KindReader> all_readers() { return kReaders; }

const KindReader* reader_of(const nlohmann::json& object) {
  const Field root(object);
  const std::string kind = root["kind"].text();
  const std::string version = root["apiVersion"].text();
  const std::size_t slash = version.find('/');
  const std::string group = slash == std::string::npos ? "" : version.substr(0, slash);
  const std::string number = slash == std::string::npos ? version : version.substr(slash + 1);
  for (const KindReader& reader : kReaders) {
    if (reader.name == kind && reader.group == group && (reader.version.empty() || reader.version == number))
      return &reader;
  }
  return nullptr;
}

}  // namespace rollcall::launch
