#include "launch/rules/gpu/visible.h"

#include <algorithm>
#include <set>

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

std::vector<Visible> visible_devices(const Role& role) {
  std::vector<Visible> all;
  if (!role.gpus_per_pod.known() || *role.gpus_per_pod < 1) return all;
  for (const EnvEntry& entry : role.env) {
    if (entry.name != "CUDA_VISIBLE_DEVICES" && entry.name != "HIP_VISIBLE_DEVICES") continue;
    if (!entry.value.known() || !reaches_launcher(role, entry)) continue;
    const auto numbers = device_numbers(entry.value.text);
    if (!numbers || *std::max_element(numbers->begin(), numbers->end()) >= *role.gpus_per_pod) continue;
    all.push_back({&entry, static_cast<int>(std::set<int>(numbers->begin(), numbers->end()).size())});
  }
  return all;
}

}  // namespace rollcall::launch::rules
