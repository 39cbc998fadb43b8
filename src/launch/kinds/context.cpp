#include "launch/kinds/context.h"

#include <string>
#include <utility>

#include "launch/kinds/beside.h"
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

bool has_all(const Labels& labels, const Labels& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&labels](const auto& label) {
    const auto found = labels.find(label.first);
    return found != labels.end() && found->second == label.second;
  });
}

void Context::add(const nlohmann::json& object, const Origin& origin) {
  const Field root(object);
  const std::string kind = root["kind"].text();
  if (const KindReader* reader = reader_of(object); reader != nullptr && reader->kind != JobKind::training_runtime)
    ++jobs_;
  if (!is_beside(kind)) return;
  if (kind == "NetworkPolicy" && root["apiVersion"].text().starts_with("networking.k8s.io/")) {
    auto& policies = policies_[root["metadata"]["namespace"].text()];
    if (policies.size() <= kMostPolicies) policies.push_back(read_network_policy(root, origin));
  }
  runtimes_.add(object);
  node_pods_.add(object);
  if (root["apiVersion"].text() != "v1") return;
  if (kind == "ConfigMap")
    config_maps_.push_back(
        {root["metadata"]["namespace"].text(), root["metadata"]["name"].text(), labels_of(root["data"])});
  if (kind == "Service") {
    Service service = service_of(root);
    services_[service.name].try_emplace(service.namespace_name, service);
  }
  if (kind == "Namespace") {
    const std::string name = root["metadata"]["name"].text();
    namespaces_.try_emplace(
        name, Namespace{name, labels_of(root["metadata"]["labels"]), labels_of(root["metadata"]["annotations"])});
  }
}

const Service* Context::service(std::string_view namespace_name, std::string_view name) const {
  const auto named = services_.find(name);
  if (named == services_.end()) return nullptr;
  const auto& by_namespace = named->second;
  // The same one whatever the order of the input: that of this namespace, that of none, else the first by name.
  auto found = by_namespace.find(namespace_name);
  if (found == by_namespace.end()) found = by_namespace.find("");
  if (found == by_namespace.end() && namespace_name.empty()) found = by_namespace.begin();
  return found == by_namespace.end() ? nullptr : &found->second;
}

const ConfigMap* Context::config_map(std::string_view namespace_name, std::string_view name) const {
  return find_named(config_maps_, namespace_name, name);
}

const Service* Context::headless_service_of(std::string_view namespace_name, const Labels& labels) const {
  const auto selects = [&](const Service& service) {
    const bool here =
        service.namespace_name == namespace_name || service.namespace_name.empty() || namespace_name.empty();
    return here && service.headless && !service.selector.empty() && has_all(labels, service.selector);
  };
  for (const auto& [name, by_namespace] : services_)
    for (const auto& [space, service] : by_namespace)
      if (selects(service)) return &service;
  return nullptr;
}

const Namespace* Context::find_namespace(std::string_view name) const {
  const auto found = namespaces_.find(name);
  return found == namespaces_.end() ? nullptr : &found->second;
}

const std::vector<NetworkPolicy>& Context::network_policies(std::string_view namespace_name) const {
  static const std::vector<NetworkPolicy> none;
  const auto found = policies_.find(namespace_name);
  return found == policies_.end() || found->second.size() > kMostPolicies ? none : found->second;
}

}  // namespace rollcall::launch
