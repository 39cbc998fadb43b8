#pragma once

#include "launch/launch.h"

/// Whether pods on the host network can meet on one node.
namespace rollcall::launch::rules {

/// Whether two pods that ask for what this role's do never share a node: by anti-affinity over nodes, by a placement
/// of the kind, or because each asks for 8 devices or more, which is all that most nodes have.
bool may_not_share_a_node(const Launch& launch, const Role& role);

/// Whether the scheduler keeps pods with this port apart: a port that is listed is taken on the host network.
bool kept_apart_by_port(const Launch& launch, const Role& role, long long port);

}  // namespace rollcall::launch::rules
