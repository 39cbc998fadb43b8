#pragma once

#include <span>
#include <string_view>

/// `rollcall-probe-child collective …` (roll_call/child_lines.h): one rank of one all-reduce, on one GPU, through the
/// job's libnccl. Says each step before it takes it, so that the parent can name the call a killed child was in.
namespace rollcall::child {

/// Arguments after the verb. Returns the exit code: 0 the collective went well, 1 the result line says what failed, 2
/// it was called wrongly. Ends the process itself when the library does not let go of the communicator.
int run_collective(std::span<const std::string_view> arguments);

}  // namespace rollcall::child
