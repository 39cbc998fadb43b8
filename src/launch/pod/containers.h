#pragma once

#include <nlohmann/json.hpp>

#include "api/training_job.h"
#include "launch/plan.h"
#include "launch/pod/make_pod.h"

namespace rollcall::launch {

/// The first init container: copies the static probe into an emptyDir. It asks for the trainer's cpu and memory as they
/// are, because an init container without resources turns a Guaranteed pod Burstable and is refused under a limits
/// quota; it passes Pod Security "restricted".
nlohmann::json installer(const nlohmann::json& pod_spec, const nlohmann::json& trainer, const ProbeSettings& probe);

/// The last init container: the trainer's image, env, mounts, resources (devices included) and security context,
/// running the probe.
nlohmann::json probe_container(const api::TrainingJob& job, const Plan& plan, const nlohmann::json& trainer,
                               int node_rank, int attempt, const ProbeSettings& probe);

/// Binary, token and annotations.
nlohmann::json rollcall_volumes();

}  // namespace rollcall::launch
