#pragma once

// The kubelet's and the quota's arithmetic, written anew from the Kubernetes documentation, to compare a pod with and
// without Rollcall.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace rollcall::launch::testing_qos {

using nlohmann::json;

/// Quantity in thousandths.
inline std::int64_t milli(const json& quantity) {
  if (quantity.is_number()) return static_cast<std::int64_t>(quantity.get<double>() * 1000);
  const auto text = quantity.get<std::string>();
  std::size_t end = 0;
  const double number = std::stod(text, &end);
  const std::map<std::string, double> suffixes = {{"", 1e3},   {"m", 1},       {"k", 1e6},        {"M", 1e9},
                                                  {"G", 1e12}, {"Ki", 1024e3}, {"Mi", 1048576e3}, {"Gi", 1073741824e3}};
  return static_cast<std::int64_t>(number * suffixes.at(text.substr(end)));
}

inline std::map<std::string, std::int64_t> amounts(const json& container, const char* part) {
  std::map<std::string, std::int64_t> sum;
  const auto resources = container.value("resources", json::object());
  const auto asked = resources.value(part, json::object());
  const auto limits = resources.value("limits", json::object());
  for (const auto& [name, quantity] : asked.items()) sum[name] = milli(quantity);
  // A limit without a request is the request (defaulting of the API server).
  if (std::string(part) == "requests") {
    for (const auto& [name, quantity] : limits.items()) sum.emplace(name, milli(quantity));
  }
  return sum;
}

inline bool is_sidecar(const json& container) { return container.value("restartPolicy", "") == "Always"; }

/// What the scheduler and a quota count: the larger of what runs together at the end and of each init container with
/// the sidecars started before it.
inline std::map<std::string, std::int64_t> effective(const json& pod_spec, const char* part) {
  std::map<std::string, std::int64_t> sidecars, most;
  for (const auto& init : pod_spec.value("initContainers", json::array())) {
    auto here = sidecars;
    for (const auto& [name, amount] : amounts(init, part)) here[name] += amount;
    if (is_sidecar(init)) sidecars = here;
    for (const auto& [name, amount] : here) most[name] = std::max(most[name], amount);
  }
  auto together = sidecars;
  for (const auto& container : pod_spec.at("containers")) {
    for (const auto& [name, amount] : amounts(container, part)) together[name] += amount;
  }
  for (const auto& [name, amount] : together) most[name] = std::max(most[name], amount);
  return most;
}

inline std::string qos_class(const json& pod_spec) {
  bool any = false, guaranteed = true;
  for (const char* list : {"initContainers", "containers"}) {
    for (const auto& container : pod_spec.value(list, json::array())) {
      for (const char* name : {"cpu", "memory"}) {
        const auto limits = amounts(container, "limits");
        const auto requests = amounts(container, "requests");
        any = any || limits.contains(name) || requests.contains(name);
        guaranteed =
            guaranteed && limits.contains(name) && requests.contains(name) && limits.at(name) == requests.at(name);
      }
    }
  }
  return !any ? "BestEffort" : guaranteed ? "Guaranteed" : "Burstable";
}

}  // namespace rollcall::launch::testing_qos
