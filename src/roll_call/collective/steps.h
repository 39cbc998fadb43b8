#pragma once

#include <string_view>

/// How far a child of a collective had come, from the step it was in (the child's words, roll_call/child_lines.h).
namespace rollcall::roll_call {

enum class Reached {
  Unknown,  ///< a step this version does not know: nothing is concluded from it
  Local,    ///< loading libraries, cuInit, the context: what happens here is this node's alone
  Init,     ///< ncclCommInitRank: needs every rank
  Small,    ///< the small all-reduce
  Large,    ///< the large one
  End,
};
Reached reached(std::string_view step);

}  // namespace rollcall::roll_call
