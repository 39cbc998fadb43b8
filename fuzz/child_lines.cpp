#include "roll_call/child_lines.h"

#include "fuzz/target.h"
#include "fuzz/targets.h"

// What a library in the job's image makes the probe's child print, line by line. What was read can be written, within
// the length that is read, and says the same again.
namespace rollcall::fuzz {

void fuzz_child_lines(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto newline = bytes.find('\n');
    const auto line = roll_call::child_line_from(bytes.substr(0, newline));
    bytes.remove_prefix(newline == std::string_view::npos ? bytes.size() : newline + 1);
    if (!line) {
      must(!line.error().message.empty(), "a line is refused with words");
      continue;
    }
    const auto written = roll_call::to_json(*line);
    must(written.find('\n') == std::string::npos, "a line is one line");
    if (written.size() > roll_call::kMaxChildLine) continue;  // the child leaves it out and says so
    const auto again = roll_call::child_line_from(written);
    must(again.ok(), "a line that was read can be written and read");
    must(roll_call::to_json(*again) == written, "a line does not change on its way");
  }
}

}  // namespace rollcall::fuzz

ROLLCALL_FUZZ_TARGET(child_lines);
