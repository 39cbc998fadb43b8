#include "webhook/time_limit.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/printable.h"

namespace rollcall::webhook {
namespace {

/// A number and a unit; the API server's limits are whole seconds up to 30, a shortened one a fraction of these.
std::optional<std::chrono::milliseconds> duration_from(std::string_view text) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;  // from_chars also reads "inf"
  double number = 0;
  const auto [rest, problem] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (problem != std::errc{} || !(number > 0)) return std::nullopt;
  const std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  double factor = 0;
  if (unit == "s") factor = 1000;
  if (unit == "ms") factor = 1;
  if (unit == "m") factor = 60'000;
  if (factor == 0) return std::nullopt;
  const double most = static_cast<double>(kLongestTimeLimit.count());
  return std::chrono::milliseconds(static_cast<long long>(std::ceil(std::min(number * factor, most))));
}

}  // namespace

Result<Target> target_of(const std::string& target) {
  const std::size_t mark = target.find('?');
  Target out{target.substr(0, mark)};
  if (mark == std::string::npos) return out;
  std::string_view query = std::string_view(target).substr(mark + 1);
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    constexpr std::string_view kTimeout = "timeout=";
    if (!pair.starts_with(kTimeout)) continue;
    const auto limit = duration_from(pair.substr(kTimeout.size()));
    if (!limit) {
      return Error{"timeout is `" + clipped(pair.substr(kTimeout.size()), 40) +
                   "`; a number and s or ms is read, as in timeout=5s"};
    }
    out.limit = *limit;
  }
  return out;
}

}  // namespace rollcall::webhook
