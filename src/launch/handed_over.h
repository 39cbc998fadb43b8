#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/launch.h"

namespace rollcall::launch {

/// The names that the operator puts first into the trainer's env; a user's entry of the same name is left out.
/// `launcher` as in Plan: one that cannot be read ("unknown") gets the rows of torchrun and none too.
std::vector<std::string> handed_over_names(std::string_view launcher, int nproc_per_node);

/// Every name that some launcher is handed, as entries that are open: the value is ours at run time, whatever the
/// manifest says.
const std::vector<EnvEntry>& handed_over_env();

}  // namespace rollcall::launch
