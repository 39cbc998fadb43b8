#include "launch/pod/containers.h"

#include <string>

#include "api/names.h"
#include "launch/pod/trainer_env.h"

namespace rollcall::launch {

using nlohmann::json;
namespace names = api::names;

namespace {

/// A member of a member, or null.
json look(const json& object, const char* outer, const char* inner) {
  const auto at = object.find(outer);
  if (at == object.end() || !at->is_object()) return nullptr;
  return at->value(inner, json());
}

json cpu_and_memory(const json& trainer) {
  json resources = json::object();
  for (const char* part : {"limits", "requests"}) {
    for (const char* name : {"cpu", "memory"}) {
      const auto quantity = look(trainer.value("resources", json::object()), part, name);
      if (!quantity.is_null()) resources[part][name] = quantity;
    }
  }
  return resources;
}

json installer_security(const json& pod_spec) {
  json security = {{"allowPrivilegeEscalation", false},
                   {"capabilities", {{"drop", json::array({"ALL"})}}},
                   {"readOnlyRootFilesystem", true}};
  // A pod that runs as root by its own word is in no restricted namespace; to insist on another user would only break
  // it. The emptyDir is writable by every user (mode 0777), so whoever we are, we may copy.
  const auto user = look(pod_spec, "securityContext", "runAsUser");
  if (user != 0) security["runAsNonRoot"] = true;
  if (look(pod_spec, "securityContext", "seccompProfile").is_null()) {
    security["seccompProfile"] = {{"type", "RuntimeDefault"}};
  }
  return security;
}

json literal(const char* name, std::string value) { return {{"name", name}, {"value", std::move(value)}}; }

/// The same for a text of the user's: the kubelet would fill in `$(NAME)` and make `$` of `$$`.
json verbatim(const char* name, std::string_view text) {
  std::string value;
  for (const char c : text) value.append(c == '$' ? 2 : 1, c);
  return literal(name, std::move(value));
}

std::string dumped(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

/// The environment beside the container's own, and what is run in it; absent = nothing to say.
void add_job_environment(const api::RollCallSettings& settings, const Plan& plan, const ProbeSettings& probe,
                         json& env) {
  if (!plan.exports.empty()) env.push_back(verbatim(names::kEnvExports, dumped(plan.exports)));
  if (!settings.setup.empty()) env.push_back(verbatim(names::kEnvSetup, settings.setup));
  if (!plan.partial_environment.empty()) env.push_back(verbatim(names::kEnvFidelity, plan.partial_environment));
  if (!settings.checks.empty()) {
    json checks = json::array();
    for (const auto& check : settings.checks) {
      checks.push_back({{"name", check.name},
                        {"command", check.command},
                        {"compare", check.compare},
                        {"deadlineSeconds", check.deadline_seconds}});
    }
    env.push_back(verbatim(names::kEnvChecks, dumped(checks)));
  }
  if (settings.nccl != api::NcclSource::Job)
    env.push_back(literal(names::kEnvNccl, std::string(to_string(settings.nccl))));
  if (probe.deadline_percent != 100)
    env.push_back(literal(names::kEnvDeadlinePercent, std::to_string(probe.deadline_percent)));
}

json field(const char* name, const char* path) {
  return {{"name", name}, {"valueFrom", {{"fieldRef", {{"fieldPath", path}}}}}};
}

}  // namespace

json installer(const json& pod_spec, const json& trainer, api::NcclSource nccl, const ProbeSettings& probe) {
  json container = {{"name", names::kInstaller},
                    {"image", nccl == api::NcclSource::Bundled ? probe.bundled_image : probe.image},
                    {"command", json::array({"/rollcall-probe", "install", names::kBinDir})},
                    {"securityContext", installer_security(pod_spec)},
                    {"terminationMessagePolicy", "FallbackToLogsOnError"},
                    {"volumeMounts", json::array({{{"name", names::kVolumeBin}, {"mountPath", names::kBinDir}}})}};
  if (!probe.image_pull_policy.empty()) container["imagePullPolicy"] = probe.image_pull_policy;
  if (auto resources = cpu_and_memory(trainer); !resources.empty()) container["resources"] = std::move(resources);
  return container;
}

json probe_container(const api::TrainingJob& job, const Plan& plan, const json& trainer, int node_rank, int attempt,
                     const ProbeSettings& probe) {
  json container = {{"name", names::kProbe},
                    {"command", json::array({std::string(names::kBinDir) + "/rollcall-probe", "answer"})},
                    {"terminationMessagePolicy", "FallbackToLogsOnError"}};
  // What the trainer will see. Ports, lifecycle and probes of the trainer are its own: a port would be taken twice, the
  // others are not allowed here.
  for (const char* copied :
       {"image", "imagePullPolicy", "envFrom", "resources", "securityContext", "volumeDevices", "workingDir"}) {
    if (trainer.contains(copied)) container[copied] = trainer[copied];
  }

  const auto& settings = job.spec.roll_call;
  json env = json::array({
      literal(names::kEnvDeskAddress, probe.desk_address),
      literal(names::kEnvDeskName, probe.desk_name),
      literal(names::kEnvDeskCa, probe.desk_ca),
      literal(names::kEnvJob, "tj/" + job.meta.namespace_name + "/" + job.meta.name),
      literal(names::kEnvAttempt, std::to_string(attempt)),
      literal(names::kEnvNodeRank, std::to_string(node_rank)),
      literal(names::kEnvNnodes, std::to_string(plan.nnodes)),
      literal(names::kEnvGiveUpSeconds,
              std::to_string(std::int64_t{settings.wait_for_pods_seconds} + settings.hold_seconds)),
      field(names::kEnvPodUid, "metadata.uid"),
      field(names::kEnvPodName, "metadata.name"),
  });
  if (!plan.gpu_resource.empty()) {
    env.push_back(literal(names::kEnvGpuResource, plan.gpu_resource));
    env.push_back(literal(names::kEnvGpus, std::to_string(plan.gpus_per_pod)));
  }
  add_job_environment(settings, plan, probe, env);
  container["env"] = env_with(env, trainer.value("env", json::array()));

  json mounts = trainer.value("volumeMounts", json::array());
  const auto mount = [&mounts](const char* volume, const char* path) {
    mounts.push_back({{"name", volume}, {"mountPath", path}, {"readOnly", true}});
  };
  mount(names::kVolumeBin, names::kBinDir);
  mount(names::kVolumeToken, names::kTokenDir);
  mount(names::kVolumePod, names::kPodDir);
  container["volumeMounts"] = std::move(mounts);
  return container;
}

json address_guard() {
  return {{"name", names::kVolumeBin},
          {"mountPath", names::kAddressDir},
          {"subPathExpr", "$(MASTER_ADDR)/seen"},
          {"readOnly", true}};
}

json rollcall_volumes(api::NcclSource nccl) {
  // Ten times the probe and its child; NCCL is 200 to 450 MB. A pod that writes more there is not ours.
  const char* const room = nccl == api::NcclSource::Bundled ? "576Mi" : "64Mi";

  const json token = {
      {"serviceAccountToken",
       {{"audience", names::kTokenAudience},
        // The kubelet renews at 80 %; a stolen token is of use for an hour at most, and only to the desk.
        {"expirationSeconds", 3600},
        {"path", "token"}}}};
  const json annotations = {{"path", "annotations"}, {"fieldRef", {{"fieldPath", "metadata.annotations"}}}};
  return json::array({
      {{"name", names::kVolumeBin}, {"emptyDir", {{"sizeLimit", room}}}},
      {{"name", names::kVolumeToken}, {"projected", {{"sources", json::array({token})}}}},
      {{"name", names::kVolumePod}, {"downwardAPI", {{"items", json::array({annotations})}}}},
  });
}

}  // namespace rollcall::launch
