#include "kube/warnings.h"

namespace rollcall::kube {

std::vector<std::string> warnings_from(std::string_view header) {
  std::vector<std::string> out;
  while (!header.empty()) {
    const std::size_t open = header.find('"');
    if (open == std::string_view::npos) break;
    std::string text;
    std::size_t i = open + 1;
    while (i < header.size() && header[i] != '"') {
      if (header[i] == '\\' && i + 1 < header.size()) ++i;
      text += header[i++];
    }
    if (i >= header.size()) break;  // not closed
    out.push_back(std::move(text));
    header.remove_prefix(i + 1);
    // An optional date in quotes follows the text and a blank; the next warning follows a comma.
    if (header.size() > 1 && header[0] == ' ' && header[1] == '"') {
      const std::size_t close = header.find('"', 2);
      header.remove_prefix(close == std::string_view::npos ? header.size() : close + 1);
    }
  }
  if (const auto text = header.find_first_not_of(" ,"); text != std::string_view::npos) {
    out.emplace_back(header.substr(text));
  }
  return out;
}

}  // namespace rollcall::kube
