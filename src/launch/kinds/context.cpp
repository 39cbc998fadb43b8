#include "launch/kinds/context.h"

#include <algorithm>

#include "launch/kinds/readers.h"

namespace rollcall::launch {
namespace {

Service service_of(const Field& root) {
  const Field spec = root["spec"];
  Service service;
  service.namespace_name = root["metadata"]["namespace"].text();
  service.name = root["metadata"]["name"].text();
  service.headless = spec["clusterIP"].text() == "None";
  service.publishes_not_ready =
      spec["publishNotReadyAddresses"].is_bool() && spec["publishNotReadyAddresses"].json().get<bool>();
  service.external_name = spec["type"].text() == "ExternalName";
  service.selector = labels_of(spec["selector"]);
  return service;
}

}  // namespace

Labels labels_of(const Field& mapping) {
  Labels labels;
  if (!mapping.is_object()) return labels;
  for (const auto& [key, value] : mapping.json().items())
    if (value.is_string()) labels.emplace(key, value.get<std::string>());
  return labels;
}

void Context::add(const nlohmann::json& object) {
  const Field root(object);
  const std::string kind = root["kind"].text();
  if (reader_of(object) != nullptr) ++jobs_;
  if (root["apiVersion"].text() != "v1") return;
  if (kind == "Service") services_.push_back(service_of(root));
  if (kind == "Namespace")
    namespaces_.push_back({root["metadata"]["name"].text(), labels_of(root["metadata"]["labels"])});
}

const Service* Context::service(std::string_view namespace_name, std::string_view name) const {
  const auto fits = [&](const Service& service) {
    return service.name == name &&
           (service.namespace_name == namespace_name || service.namespace_name.empty() || namespace_name.empty());
  };
  const auto found = std::find_if(services_.begin(), services_.end(), fits);
  return found == services_.end() ? nullptr : &*found;
}

const Namespace* Context::find_namespace(std::string_view name) const {
  const auto found =
      std::find_if(namespaces_.begin(), namespaces_.end(), [name](const Namespace& one) { return one.name == name; });
  return found == namespaces_.end() ? nullptr : &*found;
}

}  // namespace rollcall::launch
