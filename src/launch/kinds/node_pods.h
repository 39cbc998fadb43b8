#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "launch/kinds/labels.h"
#include "launch/launch.h"

namespace rollcall::launch {

/// A bare Pod that is written as one node of a world of several: it tells its launcher a node rank, how many nodes
/// there are and where they meet.
struct NodePod {
  std::string namespace_name;
  std::string name;
  Labels labels;
  std::string master;   ///< host, as written
  long long port = -1;  ///< -1 = not known
  int nodes = 0;
  int node_rank = 0;
};

/// The bare Pods of an input that are nodes. Those of one namespace that meet at one host and port and name one number
/// of nodes are one world. A value type. Pods that are not here may be in the cluster.
class NodePods {
 public:
  /// Takes a Pod that is a node; everything else is passed over. Pods that somebody controls are made of a template.
  void add(const nlohmann::json& object);

  /// The pods of the world that `launch`, of a bare Pod, is a node of, in the order in which they were added; empty
  /// when it is none. Pods of one name count once.
  std::vector<const NodePod*> world_of(const Launch& launch) const;

 private:
  std::vector<NodePod> pods_;
  /// Namespace, name, and the world: host, port, number of nodes.
  std::set<std::tuple<std::string, std::string, std::string, long long, int>> seen_;
};

/// The pod of a launch as a node; false in `is` when it is none.
struct AsNode {
  bool is = false;
  NodePod pod;
};
AsNode as_node(const Launch& launch);

}  // namespace rollcall::launch
