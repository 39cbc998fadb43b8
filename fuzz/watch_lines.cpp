#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "kube/line_splitter.h"

// A watch's stream, cut as the network likes. The first byte says how: however it is cut, the lines are the same, none
// is longer than the limit, and what is held back never is.
namespace rollcall::fuzz {
namespace {

constexpr std::size_t kMaxLine = 64;

struct Outcome {
  std::vector<std::string> lines;
  bool whole = true;
  bool operator==(const Outcome&) const = default;
};

Outcome cut(std::string_view bytes, std::size_t piece) {
  Outcome out;
  kube::LineSplitter splitter(kMaxLine);
  while (!bytes.empty() && out.whole) {
    out.whole = splitter.feed(bytes.substr(0, piece), [&](std::string_view line) {
      must(line.size() <= kMaxLine, "no line is longer than the limit");
      must(!line.empty() && line.find('\n') == std::string_view::npos, "a line is one line");
      out.lines.emplace_back(line);
      return true;
    });
    must(!out.whole || splitter.pending() <= kMaxLine, "no more is held than a line");
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  return out;
}

}  // namespace

void fuzz_watch_lines(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::size_t piece = 1 + static_cast<unsigned char>(bytes.front()) % 80;
  bytes.remove_prefix(1);
  must(cut(bytes, piece) == cut(bytes, bytes.size() + 1), "lines do not depend on how the stream was cut");
}

}  // namespace rollcall::fuzz

ROLLCALL_FUZZ_TARGET(watch_lines);
