#include "launch/kinds/misspelt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "launch/patch.h"

namespace rollcall::launch {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 9> kSpec{"nnodes",   "nprocPerNode",     "worldSize",
                                                "launcher", "trainerContainer", "rendezvous",
                                                "rollCall", "suspend",          "template"};
constexpr std::array<std::string_view, 2> kRendezvous{"port", "masterAddr"};
constexpr std::array<std::string_view, 5> kRollCall{"mode", "waitForPodsSeconds", "timeoutSeconds", "retries",
                                                    "holdSeconds"};
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

/// Letters to change, add or take away between two names; case counts as nothing (`nodeselector`), so that it is caught
/// too.
std::size_t distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

/// The known name that `key` nearly is; empty when it is one, or resembles none.
std::string_view nearest(std::string_view key, Names known) {
  if (std::find(known.begin(), known.end(), key) != known.end() || key.size() > 64) return {};
  std::string_view best;
  // Short names resemble each other by chance: one letter in four may differ, two at most.
  std::size_t least = std::min<std::size_t>(2, key.size() / 4) + 1;
  for (const std::string_view name : known) {
    if (const std::size_t d = distance(key, name); d < least) {
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

}  // namespace

void find_misspelt(const Field& spec, std::vector<ShapeProblem>& problems) {
  look(spec, kSpec, problems);
  look(spec["rendezvous"], kRendezvous, problems);
  look(spec["rollCall"], kRollCall, problems);
  look(spec["template"], kTemplate, problems);
  const Field pod = spec["template"]["spec"];
  look(pod, kPod, problems);
  for (const char* list : {"initContainers", "containers"}) {
    for (std::size_t i = 0; i < pod[list].size(); ++i) {
      look(pod[list][i], kContainer, problems);
      look(pod[list][i]["resources"], kResources, problems);
    }
  }
}

}  // namespace rollcall::launch
