#pragma once

#include <string>

#include "api/roll_call.h"
#include "base/time_text.h"

/// A RollCall as text for a terminal. Pure: the same RollCall, time and options make the same text. Safe from any
/// thread.
namespace rollcall::report {

struct TextOptions {
  std::size_t width = 100;  ///< columns of the terminal; sentences are wrapped, a table is cut only in its last column
  bool unicode = false;     ///< ✓ and ✗ for ok and FAIL
};

/// The story of one attempt: head, nodes by stages, stages, findings, the next command. Ends with a newline.
std::string status_text(const api::RollCall& roll_call, WallTime now, const TextOptions& options = {});

}  // namespace rollcall::report
