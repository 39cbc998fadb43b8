#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/training_job.h"
#include "base/result.h"
#include "launch/plan.h"

namespace rollcall::launch {

/// What the pods of every job on this cluster are given.
struct ProbeSettings {
  std::string image;                    ///< of the installer; its USER is a number other than 0
  std::string image_pull_policy;        ///< empty = the cluster's default
  std::string desk_address;             ///< `10.96.3.4:443`
  std::string desk_name;                ///< `rollcall-desk.NAMESPACE.svc`
  std::string desk_ca;                  ///< PEM
  std::string bundled_image = {};       ///< in place of `image` for rollCall.nccl: Bundled; empty = there is none
  std::int64_t deadline_percent = 100;  ///< the policy's
  /// Names of Secrets for the image, added to the pod's imagePullSecrets.
  std::vector<std::string> pull_secrets = {};
};

/// Name of the host port that reserves MASTER_PORT for node rank 0 on the host network; a port's name has at most 15
/// characters.
inline constexpr auto kMasterPortName = "rollcall-master";

/// `JOB-NODERANK-ATTEMPT`.
std::string pod_name(const std::string& job, int node_rank, int attempt);

/// The pod of one node rank in one attempt: the job's template with installer, probe, volumes and the launch values,
/// owned by the job. Pure. QoS class and effective requests are those of the template; on the
/// host network node rank 0 asks for MASTER_PORT as a host port, unless the template already does. An Error names the
/// field of the template that stands in the way: a container, volume or mount path of ours that is taken, a
/// restartPolicy other than Never, or spec.rollCall.nccl where this installation has no image for it.
Result<nlohmann::json> make_pod(const api::TrainingJob& job, const Plan& plan, int node_rank, int attempt,
                                const ProbeSettings& probe);

}  // namespace rollcall::launch
