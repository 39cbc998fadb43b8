#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "launch/text.h"

namespace rollcall::launch {

/// One word of a command line.
struct Word {
  Text text;
  std::string path;        ///< element of command or args that it stands in
  bool may_split = false;  ///< an unquoted variable of a shell: may become several words, or none
};

/// What a command line starts, seen through `exec`, `env A=B`, `tini --` and the like.
struct Program {
  enum class Kind { torchrun, tune, accelerate, deepspeed, mpi, python, shell, foreign, other, unknown };
  Kind kind = Kind::other;
  std::size_t arguments = 0;  ///< index of its first argument in the words
  std::string name;           ///< as a person would call it: `torchrun`, `mpirun`
};

/// tune: torchtune's `tune run`, which hands its flags to torchrun. mpi: mpirun and its names. foreign: a launcher of
/// another kind (srun, ray …), which decides by itself what runs where. unknown: the name
/// itself is open.
Program program_of(const std::vector<Word>& words);

}  // namespace rollcall::launch
