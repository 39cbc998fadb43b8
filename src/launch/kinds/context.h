#pragma once

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "launch/document/field.h"
#include "launch/kinds/labels.h"
#include "launch/kinds/network_policy.h"
#include "launch/kinds/node_pods.h"
#include "launch/kinds/runtimes.h"

namespace rollcall::launch {

struct Service {
  std::string namespace_name;
  std::string name;
  bool headless = false;
  bool publishes_not_ready = false;
  bool external_name = false;
  Labels selector;
};

struct Namespace {
  std::string name;
  Labels labels;
  Labels annotations = {};
};

/// Of its text only: what binaryData holds is nothing a job's start is read from.
struct ConfigMap {
  std::string namespace_name;
  std::string name;
  Labels data;
};

/// As many jobs as make an input one of several.
inline constexpr int kSeveral = 2;

/// The other objects of an input, as far as rules about a job look at them. What is not here may still be in the
/// cluster: a rule must not take absence for a proof. Owns what it keeps.
class Context {
 public:
  /// Takes what is of use from an object. Kinds that kKindsBeside (beside.h) does not list are passed over.
  void add(const nlohmann::json& object) { add(object, Origin{}); }
  /// The same of an object that stands in a text: a finding about it can say where.
  void add(const nlohmann::json& object, const Origin& origin);

  /// nullptr when the input has none of this name. An object without a namespace is applied into the one that the
  /// caller names, so an empty namespace on either side fits.
  const Service* service(std::string_view namespace_name, std::string_view name) const;
  /// A headless Service of the input that selects pods with these labels; nullptr when there is none.
  const Service* headless_service_of(std::string_view namespace_name, const Labels& labels) const;
  const Namespace* find_namespace(std::string_view name) const;
  /// The NetworkPolicies of a namespace, written with its name or both without one. Empty when there are too many to be
  /// weighed for every job.
  const std::vector<NetworkPolicy>& network_policies(std::string_view namespace_name) const;
  /// What TrainJobs are made from. Of use to whoever fills it from a watch's cache, too.
  const Runtimes& runtimes() const { return runtimes_; }
  Runtimes& runtimes() { return runtimes_; }
  /// Bare Pods that are nodes of one world.
  const NodePods& node_pods() const { return node_pods_; }
  const ConfigMap* config_map(std::string_view namespace_name, std::string_view name) const;
  /// Objects of kinds that start training, a List's items counted one by one, as far as kSeveral: whoever has a
  /// long input need not look for more.
  int jobs() const { return std::min(jobs_, kSeveral); }

 private:
  std::map<std::string, std::map<std::string, Service, std::less<>>, std::less<>> services_;  // by name, namespace
  std::map<std::string, Namespace, std::less<>> namespaces_;
  std::map<std::string, std::vector<NetworkPolicy>, std::less<>> policies_;  // by namespace
  Runtimes runtimes_;
  NodePods node_pods_;
  std::vector<ConfigMap> config_maps_;
  int jobs_ = 0;
};

}  // namespace rollcall::launch
