#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "launch/kinds/context.h"
#include "launch/patch.h"
#include "launch/rules/mesh/family.h"

namespace rollcall::launch::rules {
namespace {

/// Who puts the proxy in, and what the pods say to stay out.
struct Mesh {
  std::string who;  ///< as the beginning of a sentence: "namespace team", "their own label"
  std::string key;  ///< label or annotation of the template that opts out
  std::string value;
  std::string_view at;  ///< labels annotations
};

constexpr std::string_view kIstio = "sidecar.istio.io/inject";
constexpr std::string_view kLinkerd = "linkerd.io/inject";

/// The template's own word, in a label or an annotation; empty when it says nothing.
std::string own_word(const Field& metadata, std::string_view key) {
  const std::string label = metadata["labels"][key].text();
  return label.empty() ? metadata["annotations"][key].text() : label;
}

/// Whether the proxy is told to leave some of the pods' traffic alone: which, nobody can see here.
bool leaves_traffic_alone(const Field& metadata) {
  const Field annotations = metadata["annotations"];
  if (!annotations.is_object()) return false;
  constexpr std::array<std::string_view, 3> kKeys{"traffic.sidecar.istio.io/", "config.linkerd.io/skip-",
                                                  "config.linkerd.io/opaque-ports"};
  for (const auto& [key, value] : annotations.json().items())
    for (const std::string_view part : kKeys)
      if (key.starts_with(part)) return true;
  return false;
}

std::string value_of(const Labels& labels, std::string_view key) {
  const auto found = labels.find(key);
  return found == labels.end() ? std::string() : found->second;
}

/// The mesh that puts a proxy into these pods; `who` is empty when none does for certain.
Mesh mesh_of(const Field& metadata, const Namespace* space) {
  const std::string istio = own_word(metadata, kIstio), linkerd = own_word(metadata, kLinkerd);
  const std::string by_space = space == nullptr ? "" : "namespace " + space->name;
  const Mesh of_istio{"", std::string(kIstio), "false", "labels"};
  const Mesh of_linkerd{"", std::string(kLinkerd), "disabled", "annotations"};
  const auto named = [](Mesh mesh, const std::string& who) {
    mesh.who = who;
    return mesh;
  };
  if (istio == "true") return named(of_istio, "the label sidecar.istio.io/inject");
  if (linkerd == "enabled" || linkerd == "ingress") return named(of_linkerd, "the annotation linkerd.io/inject");
  if (space == nullptr) return {};
  if (istio.empty() && (value_of(space->labels, "istio-injection") == "enabled" ||
                        (space->labels.contains("istio.io/rev") && !space->labels.contains("istio-injection"))))
    return named(of_istio, by_space);
  if (linkerd.empty() && value_of(space->annotations, kLinkerd) == "enabled") return named(of_linkerd, by_space);
  return {};
}

std::string opt_out(const Field& metadata, const Mesh& mesh) {
  const Field mapping = metadata[mesh.at];
  if (mapping.is_object()) return add_patch(mapping[mesh.key].path(), mesh.value);
  const nlohmann::json fresh = {{mesh.key, mesh.value}};
  if (metadata.is_object()) return add_patch(mapping.path(), fresh);
  return add_patch(metadata.path(), {{std::string(mesh.at), fresh}});
}

void check(const Launch& launch, Judgement& judgement) {
  const bool several = launch.roles.size() > 1 || std::any_of(launch.roles.begin(), launch.roles.end(),
                                                              [](const Role& role) { return role.asks_for_many(); });
  if (!several) return;
  const Namespace* space =
      launch.around == nullptr ? nullptr : launch.around->find_namespace(launch.object.namespace_name);
  for (const Role& role : launch.roles) {
    // No mesh puts a proxy into a pod on the network of its node.
    if (!role.pod_template.present() || role.host_network) continue;
    const Field metadata = role.pod_template["metadata"];
    const Mesh mesh = mesh_of(metadata, space);
    if (mesh.who.empty() || leaves_traffic_alone(metadata)) continue;
    judgement.add(mesh_sidecar, metadata.path())
        .wrong("{} puts a mesh proxy into these pods, and its connections between ranks hang.", mesh.who)
        .instead("Write the {} {}: \"{}\" into the template's metadata.", mesh.at == "labels" ? "label" : "annotation",
                 mesh.key, mesh.value)
        .patch(opt_out(metadata, mesh));
  }
}

}  // namespace

const Rule mesh_sidecar{
    .id = "mesh/sidecar",
    .severity = Severity::warn,
    .title = "a mesh sidecar between the ranks",
    .why =
        "The namespace or the pod asks for a proxy in the pod. It takes the ranks' connections for its own, holds them "
        "until the application speaks first, or breaks them: the rendezvous connects, and the first collective hangs.",
    .wrong = "a namespace with istio-injection: enabled",
    .right = "the pods with sidecar.istio.io/inject: \"false\"",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
