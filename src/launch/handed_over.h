#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rollcall::launch {

/// The names that the operator puts first into the trainer's env; a user's entry of the same name is left out.
/// `launcher` as in Plan: one that cannot be read ("unknown") gets the rows of torchrun and none too.
std::vector<std::string> handed_over_names(std::string_view launcher, int nproc_per_node);

/// Whether some launcher is handed `name`: its value is ours at run time, whatever the manifest says.
bool may_be_handed_over(std::string_view name);

}  // namespace rollcall::launch
