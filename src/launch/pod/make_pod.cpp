#include "launch/pod/make_pod.h"

#include <algorithm>

#include "api/names.h"
#include "launch/pod/clashes.h"
#include "launch/pod/containers.h"
#include "launch/pod/trainer_env.h"

namespace rollcall::launch {

using nlohmann::json;
namespace names = api::names;

namespace {

/// Annotations that speak of a container by its name count for the probe too: `PREFIX/NAME` (AppArmor) and
/// `devices.gke.io/container.NAME` (RDMA and GPU devices).
json annotations_of(const json& metadata, const std::string& trainer) {
  json annotations = metadata.value("annotations", json::object());
  if (!annotations.is_object()) return json::object();
  // These are the roll call's own words to the probe and, through the address, to the trainer: a value from a template
  // would start a trainer at a foreign address.
  for (const char* ours : {names::kAnnotationMasterAddr, names::kAnnotationMasterEndpoint, names::kAnnotationAttempt,
                           names::kAnnotationReleased}) {
    annotations.erase(ours);
  }
  json copies = json::object();
  for (const auto& [key, value] : annotations.items()) {
    const auto slash = key.rfind('/');
    if (slash == std::string::npos) continue;
    const auto name = key.substr(slash + 1);
    if (name == trainer) copies[key.substr(0, slash + 1) + names::kProbe] = value;
    if (name == "container." + trainer) copies[key.substr(0, slash + 1) + "container." + names::kProbe] = value;
  }
  annotations.update(copies);
  return annotations;
}

json labels_of(const json& metadata, const api::TrainingJob& job, int node_rank, int attempt) {
  json labels = metadata.value("labels", json::object());
  if (!labels.is_object()) labels = json::object();
  labels[names::kLabelJob] = job.meta.name;
  labels[names::kLabelJobUid] = job.meta.uid;
  labels[names::kLabelNodeRank] = std::to_string(node_rank);
  labels[names::kLabelAttempt] = std::to_string(attempt);
  return labels;
}

/// MASTER_PORT as a host port of node rank 0, so that the scheduler keeps two jobs with one port off one node. Nothing
/// is forwarded on the host network: the entry is a reservation.
void reserve_master_port(json& spec, json& trainer, int port) {
  bool name_free = true;
  for (const auto& container : spec["containers"]) {
    const auto ports = container.value("ports", json::array());
    if (!ports.is_array()) continue;
    for (const auto& item : ports) {
      if (!item.is_object()) continue;
      const auto protocol = item.value("protocol", json());
      const bool tcp = protocol.is_null() || protocol == "TCP";
      // On the host network the API server makes each container port a host port.
      if (tcp && item.value("containerPort", json()) == port) return;
      name_free = name_free && item.value("name", json()) != kMasterPortName;
    }
  }
  if (!trainer.contains("ports") || !trainer["ports"].is_array()) trainer["ports"] = json::array();
  json entry = {{"containerPort", port}, {"hostPort", port}, {"protocol", "TCP"}};
  if (name_free) entry["name"] = kMasterPortName;
  trainer["ports"].push_back(std::move(entry));
}

void add_pull_secrets(json& spec, const std::vector<std::string>& secrets) {
  if (secrets.empty()) return;
  auto& list = spec["imagePullSecrets"];
  if (!list.is_array()) list = json::array();
  for (const auto& secret : secrets) {
    const bool there = std::any_of(list.begin(), list.end(), [&](const json& item) {
      return item.is_object() && item.value("name", json()) == secret;
    });
    if (!there) list.push_back({{"name", secret}});
  }
}

}  // namespace

std::string pod_name(const std::string& job, int node_rank, int attempt) {
  return job + "-" + std::to_string(node_rank) + "-" + std::to_string(attempt);
}

Result<json> make_pod(const api::TrainingJob& job, const Plan& plan, int node_rank, int attempt,
                      const ProbeSettings& probe) {
  if (auto error = clash_in(job.spec.pod_template, plan)) return *error;
  if (job.spec.roll_call.nccl == api::NcclSource::Bundled && probe.bundled_image.empty()) {
    return Error{
        "spec.rollCall.nccl: Bundled wants a probe image with NCCL, and this installation names none (the chart's "
        "bundledProbeImage). Write Job, or ask the cluster's owner.",
        "Invalid"};
  }

  json spec = job.spec.pod_template.value("spec", json::object());
  json& trainer = spec["containers"][plan.trainer_index];

  json init = json::array({installer(spec, trainer, job.spec.roll_call.nccl, probe)});
  if (spec.contains("initContainers") && spec["initContainers"].is_array()) {
    for (auto& own : spec["initContainers"]) init.push_back(std::move(own));
  }
  // Last, so that nothing can fail between release and trainer.
  init.push_back(probe_container(job, plan, trainer, node_rank, attempt, probe));
  spec["initContainers"] = std::move(init);

  if (!trainer.contains("volumeMounts") || !trainer["volumeMounts"].is_array()) trainer["volumeMounts"] = json::array();
  trainer["volumeMounts"].push_back(address_guard());
  trainer["env"] = env_with(launch_values(job, plan, node_rank), trainer.value("env", json::array()));
  if (!spec.contains("volumes") || !spec["volumes"].is_array()) spec["volumes"] = json::array();
  for (auto& volume : rollcall_volumes(job.spec.roll_call.nccl)) spec["volumes"].push_back(std::move(volume));
  spec["restartPolicy"] = "Never";
  add_pull_secrets(spec, probe.pull_secrets);
  if (plan.host_network && node_rank == 0) reserve_master_port(spec, trainer, job.spec.port);

  auto metadata = job.spec.pod_template.value("metadata", json::object());
  if (!metadata.is_object()) metadata = json::object();
  json pod_metadata = {{"name", pod_name(job.meta.name, node_rank, attempt)},
                       {"namespace", job.meta.namespace_name},
                       {"labels", labels_of(metadata, job, node_rank, attempt)},
                       {"ownerReferences", json::array({{{"apiVersion", names::kApiVersion},
                                                         {"kind", "TrainingJob"},
                                                         {"name", job.meta.name},
                                                         {"uid", job.meta.uid},
                                                         {"controller", true}}})}};
  if (auto annotations = annotations_of(metadata, plan.trainer); !annotations.empty()) {
    pod_metadata["annotations"] = std::move(annotations);
  }
  if (metadata.contains("finalizers")) pod_metadata["finalizers"] = metadata["finalizers"];
  return json{{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", std::move(pod_metadata)}, {"spec", std::move(spec)}};
}

}  // namespace rollcall::launch
