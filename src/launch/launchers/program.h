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
  std::string raw = {};    ///< of an element of command or args: as the manifest has it
};

/// What a command line starts, seen through `exec`, `env A=B`, `tini --` and the like.
struct Program {
  enum class Kind {
    torchrun,
    tune,  ///< torchtune's `tune run`, which hands its flags to torchrun
    accelerate,
    deepspeed,
    mpi,  ///< mpirun and its names
    srun,
    horovod,
    python,
    shell,
    foreign,  ///< a launcher of another kind (ray …), which decides by itself what runs where
    other,
    unknown,  ///< the name itself is open
  };
  Kind kind = Kind::other;
  std::size_t arguments = 0;  ///< index of its first argument in the words
  std::string name;           ///< as a person would call it: `torchrun`, `mpirun`
  bool fresh_env = false;     ///< the container's environment does not reach it
};

Program program_of(const std::vector<Word>& words);

/// Whether programs of the kind start the processes of a training.
bool is_launcher(Program::Kind kind);

}  // namespace rollcall::launch
