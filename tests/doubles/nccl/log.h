#pragma once

#include <string>
#include <string_view>

/// The log as NCCL writes it (src/debug.cc): NCCL_DEBUG, NCCL_DEBUG_SUBSYS, NCCL_DEBUG_FILE with %h and %p, else
/// standard output. Thread-safe.
namespace rollcall::doubles {

enum class Subsystem { Init, Net, Env, Graph };
void info(Subsystem subsystem, const std::string& text);
/// Kept for ncclGetLastError too. `place` as in "socket.cc:577".
void warn(std::string_view place, const std::string& text);
/// Lives until the next warning.
const char* last_error();

}  // namespace rollcall::doubles
