#include "launch/kinds/node_pods.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "launch/kinds/context.h"
#include "launch/kinds/other_kinds.h"
#include "launch/kinds/shape.h"

namespace rollcall::launch {
namespace {

/// Pods that are kept. By hand people write some ten; each is weighed against each.
constexpr std::size_t kMostPods = 1000;

bool one_world(const NodePod& one, const NodePod& other) {
  return one.namespace_name == other.namespace_name && one.master == other.master && one.port == other.port &&
         one.nodes == other.nodes;
}

bool is_controlled(const Field& root) {
  const Field owners = root["metadata"]["ownerReferences"];
  for (std::size_t i = 0; i < owners.size(); ++i)
    if (owners[i]["controller"].is_bool() && owners[i]["controller"].json().get<bool>()) return true;
  return false;
}

}  // namespace

AsNode as_node(const Launch& launch) {
  if (launch.kind != JobKind::pod || launch.roles.size() != 1 || launch.object.name.empty()) return {};
  const Told& told = launch.roles[0].told;
  // c10d and etcd give out ranks by themselves.
  const bool literal = !told.rendezvous.given() || (told.rendezvous.known() && *told.rendezvous == "static");
  if (!literal || !told.nodes.known() || *told.nodes < 2 || !told.node_rank.known() || !told.master.known()) return {};
  const auto rank = whole_number(*told.node_rank);
  if (!rank) return {};
  NodePod pod{launch.object.namespace_name,
              launch.object.name,
              labels_of(launch.root["metadata"]["labels"]),
              *told.master,
              told.port.known() ? *told.port : -1,
              *told.nodes,
              *rank};
  return {true, std::move(pod)};
}

void NodePods::add(const nlohmann::json& object) {
  const Field root(object);
  if (root["kind"].text() != "Pod" || root["apiVersion"].text() != "v1" || pods_.size() >= kMostPods) return;
  if (is_controlled(root)) return;
  const std::optional<Launch> launch = read_bare_pod(object, Context{});
  if (!launch) return;
  AsNode node = as_node(*launch);
  if (!node.is) return;
  const NodePod& pod = node.pod;
  if (seen_.emplace(pod.namespace_name, pod.name, pod.master, pod.port, pod.nodes).second)
    pods_.push_back(std::move(node.pod));
}

std::vector<const NodePod*> NodePods::world_of(const Launch& launch) const {
  std::vector<const NodePod*> world;
  const AsNode own = as_node(launch);
  if (!own.is) return world;
  for (const NodePod& pod : pods_)
    if (one_world(pod, own.pod)) world.push_back(&pod);
  return world;
}

}  // namespace rollcall::launch
