#pragma once

#include <nlohmann/json.hpp>

#include "api/training_job.h"
#include "launch/plan.h"
#include "launch/pod/make_pod.h"

namespace rollcall::launch {

/// The first init container: copies the static probe into an emptyDir. It asks for the trainer's cpu and memory as they
/// are, because an init container without resources turns a Guaranteed pod Burstable and is refused under a limits
/// quota; it passes Pod Security "restricted".
nlohmann::json installer(const nlohmann::json& pod_spec, const nlohmann::json& trainer, api::NcclSource nccl,
                         const ProbeSettings& probe);

/// The last init container: the trainer's image, env, mounts, resources (devices included) and security context,
/// running the probe. What the trainer's command exports, the job's setup and its own checks reach it as variables.
nlohmann::json probe_container(const api::TrainingJob& job, const Plan& plan, const nlohmann::json& trainer,
                               int node_rank, int attempt, const ProbeSettings& probe);

/// A mount that lets the trainer's container be made only with an address. A kubelet may start it from a snapshot of
/// the pod that is older than the annotations the probe saw (its pod worker waits for the runtime's state with the
/// snapshot in hand; seen: an empty MASTER_ADDR 0.5 s after the annotation showed in the downward file). A fieldRef to
/// an annotation that is not there is an empty string, but a subPathExpr of `$(MASTER_ADDR)/…` is then an absolute
/// path, which the kubelet refuses, names, and tries again with the next snapshot.
nlohmann::json address_guard();

/// Binary, token and annotations.
nlohmann::json rollcall_volumes(api::NcclSource nccl);

}  // namespace rollcall::launch
