#pragma once

#include <string_view>

#include "roll_call/child_lines.h"

/// The program's lines to its parent (roll_call/child_lines.h). One thread; each line is written by one write(2), so
/// that a child that is killed leaves none in halves.
namespace rollcall::child {

/// Before any library is loaded: keeps standard output for the lines alone and gives the libraries, which print what
/// they like, standard error in its place.
void keep_standard_output();

/// "I begin this now": what the parent reports when nothing follows.
void step(std::string_view what);

/// A line longer than kMaxChildLine is not sent; standard error says so.
void say(const roll_call::ChildLine& line);

}  // namespace rollcall::child
