#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "launch/launchers/program.h"

namespace rollcall::launch {

/// A program that starts the rest of its line after flags of its own: `exec`, `env`, `tini --`, `numactl`, `uv run`.
struct Wrapped {
  std::size_t program = 0;  ///< index of the first word of what it starts
  bool module = false;      ///< that word is a Python module: `uv run -m torch.distributed.run`
  bool fresh_env = false;   ///< the container's environment does not reach it: `sudo` without -E, `env -i`
};

/// Where the line goes on behind the wrapper at `at`; nullopt when it is none, or when one of its flags is not known,
/// so that where the program stands is open.
std::optional<Wrapped> behind_wrapper(const std::vector<Word>& words, std::size_t at);

/// Whether the program of this name is a wrapper, with flags that are known or not.
bool is_wrapper(const std::vector<Word>& words, std::size_t at);

/// `NAME=…`: an assignment in front of a program.
bool is_assignment(std::string_view word);

}  // namespace rollcall::launch
