#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "launch/address.h"
#include "launch/launch.h"

/// What the rules about master addresses share.
namespace rollcall::launch::rules {

/// For how many nodes a rule speaks: with one node every address of its own will do.
enum class Nodes { several, several_or_spec, any };

/// Calls `found` with each known address of `kind`. several_or_spec: spec.rendezvous.masterAddr with one node too,
/// since node rank 0 must own it.
void for_addresses(const Launch& launch, AddressKind kind, Nodes nodes,
                   const std::function<void(const Address&)>& found);

/// spec.nnodes; only where for_addresses() found something for several nodes.
int nodes_of(const Launch& launch);

/// A value of the manifest as a sentence shows it: cut where it is long.
std::string shown(const std::string& text);

/// What to write instead, for every one of these rules.
std::string_view leave_it_out();

}  // namespace rollcall::launch::rules
