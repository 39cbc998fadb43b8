#include "launch/rules/memory/quantity.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

namespace rollcall::launch::rules {
namespace {

constexpr double kKi = 1024, kK = 1000;
/// Source: k8s.io/apimachinery, pkg/api/resource/suffix.go.
constexpr std::array<std::pair<std::string_view, double>, 13> kUnits{{
    {"", 1},
    {"m", 0.001},
    {"k", kK},
    {"M", kK* kK},
    {"G", kK* kK* kK},
    {"T", kK* kK* kK* kK},
    {"P", kK* kK* kK* kK* kK},
    {"Ki", kKi},
    {"Mi", kKi* kKi},
    {"Gi", kKi* kKi* kKi},
    {"Ti", kKi* kKi* kKi* kKi},
    {"Pi", kKi* kKi* kKi* kKi* kKi},
    {"Ei", kKi* kKi* kKi* kKi* kKi* kKi},
}};

}  // namespace

std::optional<double> bytes_of(const Field& quantity) {
  if (!quantity.present()) return std::nullopt;
  if (quantity.json().is_number()) return quantity.json().get<double>();
  const std::string text = quantity.text();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const auto& [name, factor] : kUnits)
    if (unit == name) return number * factor;
  return std::nullopt;
}

std::string gib(double bytes) {
  const double gibibytes = bytes / (kKi * kKi * kKi);
  return gibibytes < 1 ? fmt::format("{:.0f} MiB", bytes / (kKi * kKi)) : fmt::format("{:.4g} GiB", gibibytes);
}

}  // namespace rollcall::launch::rules
