#include "launch/kinds/misspelt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "base/letters_apart.h"
#include "launch/patch.h"

namespace rollcall::launch {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 9> kSpec{"nnodes",   "nprocPerNode",     "worldSize",
                                                "launcher", "trainerContainer", "rendezvous",
                                                "rollCall", "suspend",          "template"};
constexpr std::array<std::string_view, 2> kRendezvous{"port", "masterAddr"};
constexpr std::array<std::string_view, 8> kRollCall{
    "mode", "waitForPodsSeconds", "timeoutSeconds", "retries", "holdSeconds", "nccl", "setup", "checks"};
constexpr std::array<std::string_view, 4> kCheck{"name", "command", "compare", "deadlineSeconds"};
constexpr std::array<std::string_view, 2> kTemplate{"metadata", "spec"};
// PodSpec and Container of Kubernetes 1.34.
constexpr std::array<std::string_view, 42> kPod{"activeDeadlineSeconds",
                                                "affinity",
                                                "automountServiceAccountToken",
                                                "containers",
                                                "dnsConfig",
                                                "dnsPolicy",
                                                "enableServiceLinks",
                                                "ephemeralContainers",
                                                "hostAliases",
                                                "hostIPC",
                                                "hostNetwork",
                                                "hostPID",
                                                "hostUsers",
                                                "hostname",
                                                "hostnameOverride",
                                                "imagePullSecrets",
                                                "initContainers",
                                                "nodeName",
                                                "nodeSelector",
                                                "os",
                                                "overhead",
                                                "preemptionPolicy",
                                                "priority",
                                                "priorityClassName",
                                                "readinessGates",
                                                "resourceClaims",
                                                "resources",
                                                "restartPolicy",
                                                "runtimeClassName",
                                                "schedulerName",
                                                "schedulingGates",
                                                "securityContext",
                                                "serviceAccount",
                                                "serviceAccountName",
                                                "setHostnameAsFQDN",
                                                "shareProcessNamespace",
                                                "subdomain",
                                                "terminationGracePeriodSeconds",
                                                "tolerations",
                                                "topologySpreadConstraints",
                                                "volumes",
                                                "workloadRef"};
constexpr std::array<std::string_view, 25> kContainer{"args",
                                                      "command",
                                                      "env",
                                                      "envFrom",
                                                      "image",
                                                      "imagePullPolicy",
                                                      "lifecycle",
                                                      "livenessProbe",
                                                      "name",
                                                      "ports",
                                                      "readinessProbe",
                                                      "resizePolicy",
                                                      "resources",
                                                      "restartPolicy",
                                                      "restartPolicyRules",
                                                      "securityContext",
                                                      "startupProbe",
                                                      "stdin",
                                                      "stdinOnce",
                                                      "terminationMessagePath",
                                                      "terminationMessagePolicy",
                                                      "tty",
                                                      "volumeDevices",
                                                      "volumeMounts",
                                                      "workingDir"};
constexpr std::array<std::string_view, 3> kResources{"limits", "requests", "claims"};
constexpr std::array<std::string_view, 3> kEnvEntry{"name", "value", "valueFrom"};
constexpr std::array<std::string_view, 7> kVolumeMount{
    "name", "readOnly", "recursiveReadOnly", "mountPath", "mountPropagation", "subPath", "subPathExpr"};
constexpr std::array<std::string_view, 5> kPort{"name", "hostPort", "containerPort", "protocol", "hostIP"};
// Trainer of trainer.kubeflow.org/v1alpha1.
constexpr std::array<std::string_view, 7> kTrainer{"image",    "command",          "args",          "env",
                                                   "numNodes", "resourcesPerNode", "numProcPerNode"};

/// The known name that `key` nearly is; empty when it is one, or resembles none.
std::string_view nearest(std::string_view key, Names known) {
  if (std::find(known.begin(), known.end(), key) != known.end() || key.size() > 64) return {};
  std::string_view best;
  // Short names resemble each other by chance: one letter in four may differ, two at most.
  std::size_t least = std::min<std::size_t>(2, key.size() / 4) + 1;
  for (const std::string_view name : known) {
    if (const std::size_t d = letters_apart(key, name, LetterCase::counts_as_nothing); d < least) {
      least = d;
      best = name;
    }
  }
  return best;
}

void look(const Field& object, Names known, std::vector<ShapeProblem>& problems) {
  if (!object.is_object()) return;
  for (const auto& [key, value] : object.json().items()) {
    const std::string_view meant = nearest(key, known);
    if (meant.empty()) continue;
    const std::string from = object[key].path();
    const bool taken = object[meant].present();
    problems.push_back({ShapeProblem::Kind::misspelt, from, fmt::format("there is no field `{}`.", key),
                        fmt::format("Did you mean `{}`?", meant), taken ? "" : move_patch(from, object[meant].path())});
  }
}

void look_at_items(const Field& list, Names known, std::vector<ShapeProblem>& problems) {
  for (std::size_t i = 0; i < list.size(); ++i) look(list[i], known, problems);
}

void look_at_pod(const Field& pod, std::vector<ShapeProblem>& problems) {
  look(pod, kPod, problems);
  for (const char* list : {"initContainers", "containers"}) {
    for (std::size_t i = 0; i < pod[list].size(); ++i) {
      const Field container = pod[list][i];
      look(container, kContainer, problems);
      look(container["resources"], kResources, problems);
      look_at_items(container["env"], kEnvEntry, problems);
      look_at_items(container["volumeMounts"], kVolumeMount, problems);
      look_at_items(container["ports"], kPort, problems);
    }
  }
}

}  // namespace

void find_misspelt(const Field& spec, std::vector<ShapeProblem>& problems) {
  look(spec, kSpec, problems);
  look(spec["rendezvous"], kRendezvous, problems);
  look(spec["rollCall"], kRollCall, problems);
  look_at_items(spec["rollCall"]["checks"], kCheck, problems);
  look(spec["template"], kTemplate, problems);
  look_at_pod(spec["template"]["spec"], problems);
}

void find_misspelt_in_pods(Launch& launch) {
  if (launch.kind == JobKind::train_job) {
    const Field trainer = launch.root["spec"]["trainer"];
    look(trainer, kTrainer, launch.shape);
    look(trainer["resourcesPerNode"], kResources, launch.shape);
    look_at_items(trainer["env"], kEnvEntry, launch.shape);
    return;
  }
  for (std::size_t i = 0; i < launch.roles.size(); ++i) {
    const Field pod = launch.roles[i].pod_template["spec"];
    const auto same = [&pod](const Role& role) { return role.pod_template["spec"].path() == pod.path(); };
    const auto end = launch.roles.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::none_of(launch.roles.begin(), end, same)) look_at_pod(pod, launch.shape);
  }
}

}  // namespace rollcall::launch
