#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "launch/document/field.h"

namespace rollcall::launch {

using Labels = std::map<std::string, std::string, std::less<>>;

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
};

/// The other objects of an input, as far as rules about a job look at them. What is not here may still be in the
/// cluster: a rule must not take absence for a proof. Owns what it keeps.
class Context {
 public:
  /// Takes what is of use from an object of any kind; everything else is passed over.
  void add(const nlohmann::json& object);

  /// nullptr when the input has none of this name. An object without a namespace is applied into the one that the
  /// caller names, so an empty namespace on either side fits.
  const Service* service(std::string_view namespace_name, std::string_view name) const;
  const Namespace* find_namespace(std::string_view name) const;
  /// Objects of kinds that start training, a List's items counted one by one.
  int jobs() const { return jobs_; }

 private:
  std::vector<Service> services_;
  std::vector<Namespace> namespaces_;
  int jobs_ = 0;
};

Labels labels_of(const Field& mapping);

}  // namespace rollcall::launch
