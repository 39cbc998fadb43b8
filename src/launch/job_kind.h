#pragma once

#include <initializer_list>

namespace rollcall::launch {

/// Kinds of objects that start training, as the rules tell them apart.
enum class JobKind {
  training_job,
  pytorch_job,
  mpi_job,
  batch_job,
  job_set,
  leader_worker_set,
  volcano_job,
  stateful_set,
  pod,
  train_job,
  jax_job,
  ray_cluster,
  ray_job,
  training_runtime,  ///< a template of TrainJobs: no world of its own
  no_kind,           ///< nearly one of the others, misspelt
};

/// A set of kinds: what a rule is for.
class JobKinds {
 public:
  constexpr JobKinds(std::initializer_list<JobKind> kinds) {
    for (const JobKind kind : kinds) bits_ |= 1u << static_cast<unsigned>(kind);
  }
  constexpr bool has(JobKind kind) const { return (bits_ >> static_cast<unsigned>(kind) & 1u) != 0; }
  constexpr JobKinds operator|(JobKinds other) const {
    other.bits_ |= bits_;
    return other;
  }

 private:
  unsigned bits_ = 0;
};

/// The operator hands out the values and every pod is ours.
inline constexpr JobKinds kTrainingJob{JobKind::training_job};
/// Kinds of other projects.
inline constexpr JobKinds kOtherKinds{
    JobKind::pytorch_job,       JobKind::mpi_job,     JobKind::batch_job,    JobKind::job_set,
    JobKind::leader_worker_set, JobKind::volcano_job, JobKind::stateful_set, JobKind::pod,
    JobKind::train_job,         JobKind::jax_job,     JobKind::ray_cluster,  JobKind::ray_job};
inline constexpr JobKinds kEveryKind = kTrainingJob | kOtherKinds;
/// For rules about what is written, whatever it means.
inline constexpr JobKinds kEveryObject = kEveryKind | JobKinds{JobKind::training_runtime, JobKind::no_kind};

}  // namespace rollcall::launch
