#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "launch/launch.h"
#include "launch/launchers/program.h"

namespace rollcall::launch {

/// torchrun's own flags in `words` from `first` on, up to the script it starts, by their spelling with hyphens. Of a
/// flag given twice the last counts (argparse). A flag that an open word may still replace is open itself. `exec_form`:
/// words are whole elements of command and args, so a flag can be taken out by a patch.
std::map<std::string, Flag> torchrun_flags(const std::vector<Word>& words, std::size_t first, bool exec_form);

}  // namespace rollcall::launch
