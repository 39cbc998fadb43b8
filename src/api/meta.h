#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rollcall::api {

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;
};

/// The part of a Kubernetes object's metadata that Rollcall reads. Times are RFC 3339 text as the API server wrote
/// them.
struct ObjectMeta {
  std::string name;
  std::string namespace_name;
  std::string uid;
  std::string resource_version;
  std::int64_t generation = 0;
  std::string creation_timestamp;
  std::string deletion_timestamp;  ///< empty = not being deleted
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  std::vector<OwnerReference> owners;
};

/// metav1.Condition.
struct Condition {
  std::string type;
  std::string status;  ///< True, False, Unknown
  std::string reason;  ///< CamelCase, from a closed list
  std::string message;
  std::string last_transition_time;  ///< RFC 3339
  std::int64_t observed_generation = 0;
};

}  // namespace rollcall::api
