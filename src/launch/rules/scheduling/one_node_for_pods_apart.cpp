#include <algorithm>
#include <string>

#include "launch/kinds/context.h"
#include "launch/patch.h"
#include "launch/rules/scheduling/family.h"

namespace rollcall::launch::rules {
namespace {

/// Whether the selector of an anti-affinity takes the pods of its own template.
bool selects_itself(const Field& term, const Role& role) {
  const Field selector = term["labelSelector"];
  if (selector["matchExpressions"].present() || term["namespaces"].present() || term["namespaceSelector"].present())
    return false;
  const Labels asked = labels_of(selector["matchLabels"]);
  const Labels own = labels_of(role.pod_template["metadata"]["labels"]);
  return !asked.empty() && has_all(own, asked);
}

/// What keeps two of these pods from one node, as a sentence names it; empty when nothing certainly does.
std::string what_keeps_apart(const Role& role) {
  const Field pod = role.pod_template["spec"];
  const Field terms = pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (terms[i]["topologyKey"].text() == "kubernetes.io/hostname" && selects_itself(terms[i], role))
      return "the podAntiAffinity";
  for (std::size_t i = 0; i < pod["containers"].size(); ++i) {
    const Field ports = pod["containers"][i]["ports"];
    for (std::size_t j = 0; j < ports.size(); ++j) {
      const Field port = ports[j][role.host_network ? "containerPort" : "hostPort"];
      if (port.is_integer()) return "the host's port " + port.json().dump();
    }
  }
  return {};
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    if (!role.asks_for_many()) continue;
    const Field pod = role.pod_template["spec"];
    const Field selector = pod["nodeSelector"]["kubernetes.io/hostname"];
    const Field node = selector.present() ? selector : pod["nodeName"];
    if (!node.is_string()) continue;
    const std::string apart = what_keeps_apart(role);
    if (apart.empty()) continue;
    judgement.add(scheduling_one_node_for_pods_apart, node.path())
        .wrong("all {} pods are to run on `{}`, but {} allows one of them there.", *role.pods, node.text(), apart)
        .instead("Take it out, and ask for a kind of node instead.")
        .patch(remove_patch(node.path()));
  }
}

}  // namespace

const Rule scheduling_one_node_for_pods_apart{
    .id = "scheduling/one-node-for-pods-apart",
    .severity = Severity::deny,
    .title = "pods that must stand apart on one node",
    .why =
        "All pods are bound to one node by its name, and something keeps two of them from the same node. One is "
        "placed, the others stay Pending, and it waits for them with its GPUs in its hands.",
    .wrong = "nodeSelector kubernetes.io/hostname: gpu-17 with a required podAntiAffinity",
    .right = "no nodeSelector",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
