#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "finding/finding.h"
#include "launch/check.h"
#include "launch/document/document.h"

/// Judging the texts of one input. Two passes: what an object means may depend on a Service of another file, so first
/// every text is asked for what stands beside the jobs, then each is judged by itself. Pure; both passes may run on
/// several texts at once, with a Context of its own for each in the first.
namespace rollcall::launch {

class Context;

/// Text that could not be read, and where it went wrong.
struct Unreadable {
  Mark mark;
  std::string message;
};

/// What was found in one text.
struct TextChecked {
  Findings findings;                   ///< in the order of documents
  std::vector<PassedOver> ignored;     ///< likewise
  std::vector<Unreadable> unreadable;  ///< likewise
  int documents = 0;                   ///< non-empty ones, those that cannot be read included
  int judged = 0;                      ///< objects that rules were asked about, a List's items one by one
};

/// First pass: takes into `context` what rules look at beside the object they judge. Text that cannot be read adds
/// what stands before the error; the second pass says so.
void add_context(std::string_view text, const std::string& file, Context& context);

/// Second pass: every rule over every object of a text. `file` is the name that findings bear.
TextChecked check_text(std::string_view text, const std::string& file, const Context& context);

}  // namespace rollcall::launch
