#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "launch/launch.h"
#include "launch/launchers/program.h"

namespace rollcall::launch {

/// The flags of a program whose grammar nobody here knows, by their spelling with hyphens: `--name=value`, or `--name
/// value` where the next word is no flag; Hydra's `trainer.num_nodes=4`, without its `+`, under `trainer.num-nodes`.
/// Behind an open word nothing is certain, and reading ends.
std::map<std::string, Flag> program_flags(const std::vector<Word>& words, std::size_t first);

}  // namespace rollcall::launch
