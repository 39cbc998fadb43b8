#include "launch/kinds/accelerators.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

namespace rollcall::launch {
namespace {

// The names that the vendors' device plugins register.
constexpr std::string_view kNames[] = {"nvidia.com/gpu",
                                       "amd.com/gpu",
                                       "habana.ai/gaudi",
                                       "google.com/tpu",
                                       "aws.amazon.com/neuron",
                                       "aws.amazon.com/neuroncore",
                                       "aws.amazon.com/neurondevice"};
constexpr std::string_view kPrefixes[] = {"nvidia.com/mig-", "gpu.intel.com/"};
// Of Intel's names these measure a device, they are none.
constexpr std::string_view kMeasures[] = {"gpu.intel.com/millicores", "gpu.intel.com/memory.max",
                                          "gpu.intel.com/tiles"};

/// A quantity as a count of devices; nullopt for what is no plain number (`1k`, `8.5`, `many`).
std::optional<int> count_of(const nlohmann::json& quantity) {
  if (quantity.is_number_integer()) {
    const auto value = quantity.get<long long>();
    if (value < 0 || value > 1'000'000) return std::nullopt;
    return static_cast<int>(value);
  }
  if (!quantity.is_string()) return std::nullopt;
  const auto& text = quantity.get_ref<const std::string&>();
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

Accelerators read(const Field& quantities) {
  Accelerators found;
  if (!quantities.is_object()) return found;
  int total = 0;
  for (const auto& [name, quantity] : quantities.json().items()) {
    if (!is_accelerator(name)) continue;
    const Field field = quantities[name];
    const auto count = count_of(quantity);
    if (!count) {
      return {Fact<int>::unknown("the quantity of " + name + " is not a plain number", field.path()), name};
    }
    if (*count == 0) continue;
    total += *count;
    if (found.resource.empty()) found.resource = name;
    found.count = Fact<int>::of(total, field.path());
  }
  return found;
}

}  // namespace

bool is_accelerator(std::string_view resource) {
  if (std::find(std::begin(kMeasures), std::end(kMeasures), resource) != std::end(kMeasures)) return false;
  return std::find(std::begin(kNames), std::end(kNames), resource) != std::end(kNames) ||
         std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return resource.starts_with(prefix); });
}

bool has_room_for_one(std::string_view resource) {
  return resource != "aws.amazon.com/neuron" && resource != "aws.amazon.com/neurondevice" &&
         resource != "google.com/tpu" && !resource.starts_with("gpu.intel.com/");
}

Accelerators accelerators_of(const Field& container) {
  const Field resources = container["resources"];
  for (const char* list : {"limits", "requests"}) {
    if (Accelerators found = read(resources[list]); found.count.given()) return found;
  }
  if (resources["claims"].size() > 0) {
    return {Fact<int>::unknown("devices come by a resource claim", resources["claims"].path()), {}};
  }
  return {Fact<int>::of(0, resources.path()), {}};
}

}  // namespace rollcall::launch
