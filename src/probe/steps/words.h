#pragma once

#include <string>
#include <vector>

#include "roll_call/messages.h"

/// What the probe's log says of a step's result. Addresses and errno's words stand here; the desk's findings name
/// nodes.
namespace rollcall::probe {

std::string words_for(const roll_call::MasterPortState& state);
std::string words_for_reach(const roll_call::Edge& edge, const std::string& address);
std::string words_for(const roll_call::MeshState& state, const std::vector<roll_call::Peer>& peers);

}  // namespace rollcall::probe
