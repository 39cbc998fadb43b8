#pragma once

#include <cstddef>
#include <vector>

#include "launch/launch.h"
#include "launch/launchers/program.h"

namespace rollcall::launch {

/// mpirun's own flags into `command.flags`, under one name for all spellings: `--np` (`-n`, `-np`, `-c`), `--npernode`
/// (`-N`, `-ppn`, `-perhost`), `--map-by`, `--host`, `--hostfile`, `--oversubscribe`; what it exports to the ranks
/// (`-x NAME=VALUE`, `-genv NAME VALUE`) into `command.exported`. Reading ends at the program; behind a word that is
/// open, or a flag that is not known, everything is open. Returns the index of the program's word; the words' number
/// where that is open.
std::size_t read_mpirun(const std::vector<Word>& words, std::size_t first, Command& command);

}  // namespace rollcall::launch
