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

/// Policies of one namespace that are weighed for each of its jobs. A namespace has some ten; with many more a text
/// would cost jobs times policies.
constexpr std::size_t kMostPolicies = 500;
template <typename Object>
const Object* find_named(const std::vector<Object>& objects, std::string_view namespace_name, std::string_view name) {
  const auto found = std::find_if(objects.begin(), objects.end(), [&](const Object& object) {
    return object.name == name &&
           (object.namespace_name == namespace_name || object.namespace_name.empty() || namespace_name.empty());
  });
  return found == objects.end() ? nullptr : &*found;
}

}  // namespace

Labels labels_of(const Field& mapping) {
  Labels labels;
  if (!mapping.is_object()) return labels;
  for (const auto& [key, value] : mapping.json().items())
    if (value.is_string()) labels.emplace(key, value.get<std::string>());
  return labels;
}

void Context::add(const nlohmann::json& object, const Origin& origin) {
  const Field root(object);
  const std::string kind = root["kind"].text();
  if (kind == "NetworkPolicy" && root["apiVersion"].text().starts_with("networking.k8s.io/")) {
    auto& policies = policies_[root["metadata"]["namespace"].text()];
    if (policies.size() <= kMostPolicies) policies.push_back(read_network_policy(root, origin));
  }
  runtimes_.add(object);
  node_pods_.add(object);
  if (const KindReader* reader = reader_of(object); reader != nullptr && reader->kind != JobKind::training_runtime)
    ++jobs_;
  if (root["apiVersion"].text() != "v1") return;
  if (kind == "ConfigMap")
    config_maps_.push_back(
        {root["metadata"]["namespace"].text(), root["metadata"]["name"].text(), labels_of(root["data"])});
  if (kind == "Service") services_.push_back(service_of(root));
  if (kind == "Namespace")
    namespaces_.push_back({root["metadata"]["name"].text(), labels_of(root["metadata"]["labels"]),
                           labels_of(root["metadata"]["annotations"])});
}

const Service* Context::service(std::string_view namespace_name, std::string_view name) const {
  return find_named(services_, namespace_name, name);
}

const ConfigMap* Context::config_map(std::string_view namespace_name, std::string_view name) const {
  return find_named(config_maps_, namespace_name, name);
}

const Service* Context::headless_service_of(std::string_view namespace_name, const Labels& labels) const {
  const auto selects = [&](const Service& service) {
    const bool here =
        service.namespace_name == namespace_name || service.namespace_name.empty() || namespace_name.empty();
    return here && service.headless && !service.selector.empty() &&
           std::all_of(service.selector.begin(), service.selector.end(), [&labels](const auto& label) {
             const auto found = labels.find(label.first);
             return found != labels.end() && found->second == label.second;
           });
  };
  const auto found = std::find_if(services_.begin(), services_.end(), selects);
  return found == services_.end() ? nullptr : &*found;
}

const Namespace* Context::find_namespace(std::string_view name) const {
  const auto found =
      std::find_if(namespaces_.begin(), namespaces_.end(), [name](const Namespace& one) { return one.name == name; });
  return found == namespaces_.end() ? nullptr : &*found;
}

const std::vector<NetworkPolicy>& Context::network_policies(std::string_view namespace_name) const {
  static const std::vector<NetworkPolicy> none;
  const auto found = policies_.find(namespace_name);
  return found == policies_.end() || found->second.size() > kMostPolicies ? none : found->second;
}

}  // namespace rollcall::launch
