#include "launch/rules/gpu/visible.h"

#include <algorithm>

#include "launch/kinds/shape.h"

namespace rollcall::launch::rules {

std::optional<std::vector<int>> device_numbers(const std::string& text) {
  std::vector<int> numbers;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    std::string piece = text.substr(at, comma - at);
    std::erase(piece, ' ');
    const auto number = whole_number(piece);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    at = comma + 1;
  }
  return numbers;
}

bool reaches_launcher(const Role& role, const EnvEntry& entry) {
  const auto& env = role.command.env;
  const auto seen =
      std::find_if(env.rbegin(), env.rend(), [&entry](const EnvEntry& one) { return one.name == entry.name; });
  return seen == env.rend() || (seen->value.known() && seen->value.text == entry.value.text);
}

}  // namespace rollcall::launch::rules
