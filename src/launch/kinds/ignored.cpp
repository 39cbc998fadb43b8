#include "launch/kinds/ignored.h"

#include <string>
#include <string_view>

#include "api/names.h"

namespace rollcall::launch {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

}  // namespace

std::vector<Ignored> read_ignored(const Field& object) {
  std::vector<Ignored> ignored;
  const Field annotation = object["metadata"]["annotations"][api::names::kAnnotationIgnore];
  const std::string text = annotation.text();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    const std::size_t colon = line.find(':');
    Ignored entry{trimmed(line.substr(0, colon)), {}, annotation.path()};
    if (colon != std::string_view::npos) entry.reason = trimmed(line.substr(colon + 1));
    if (!entry.rule.empty() || !entry.reason.empty()) ignored.push_back(std::move(entry));
    at = end + 1;
  }
  return ignored;
}

}  // namespace rollcall::launch
