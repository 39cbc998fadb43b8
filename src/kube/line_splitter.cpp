#include "kube/line_splitter.h"

namespace rollcall::kube {

bool LineSplitter::feed(std::string_view bytes, const std::function<bool(std::string_view)>& on_line) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (rest_.size() + part.size() > max_line_) return false;
    if (end == std::string_view::npos) {
      rest_ += part;
      return true;
    }
    bytes.remove_prefix(end + 1);
    std::string_view line = part;
    std::string whole;
    if (!rest_.empty()) {
      whole = std::move(rest_);
      rest_.clear();
      whole += part;
      line = whole;
    }
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!line.empty() && !on_line(line)) return true;
  }
  return true;
}

}  // namespace rollcall::kube
