#include "launch/shell/names.h"

#include "launch/shell/kubelet.h"

namespace rollcall::launch::shell {
namespace {

bool in_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

}  // namespace

std::map<std::string, std::size_t, std::less<>> mentions_in(std::string_view script) {
  std::map<std::string, std::size_t, std::less<>> mentions;
  for (std::size_t at = 0; at < script.size();) {
    if (!in_name(script[at])) {
      ++at;
      continue;
    }
    const std::size_t start = at;
    while (at < script.size() && in_name(script[at])) ++at;
    const std::string_view before = script.substr(0, start);
    if (before.ends_with('$') || before.ends_with("${") || before.ends_with(kFilledIn)) continue;
    ++mentions[std::string(script.substr(start, at - start))];
  }
  return mentions;
}

}  // namespace rollcall::launch::shell
