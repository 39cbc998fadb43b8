#pragma once

#include <string>

#include "launch/launch.h"

/// What the manifest decides of the address at which a role's pods should meet.
namespace rollcall::launch::rules {

/// The name of node rank 0 as it would stand in the command: `llama-0.llama`, `$(LWS_LEADER_ADDRESS)`. Empty where the
/// manifest does not decide it: several roles, pods without names.
std::string master_of(const Launch& launch, const Role& role);

/// A patch that writes that name where the role's master address stands, with the port as it was; empty where there is
/// none, or the address stands in a script.
std::string replace_master_patch(const Launch& launch, const Role& role);

}  // namespace rollcall::launch::rules
