#pragma once

#include <memory>
#include <string>

#include "e2e/world.h"

namespace rollcall::e2e {

/// Somebody with one of Kubernetes' roles (view, edit, admin) in the world's namespace and no right anywhere else: a
/// ServiceAccount, which goes with the namespace.
class Person {
 public:
  /// Returns when the role holds: the API server's authorizer learns of a binding within moments.
  Person(World& world, const std::string& name, const std::string& role);

  /// Calls with this person's own token.
  kube::Client& api() { return *api_; }
  /// SelfSubjectAccessReview: may this person do it? `resource` may be `rollcalls/status`; `ns` empty: in the cluster.
  bool may(const std::string& verb, const std::string& group, const std::string& resource, const std::string& ns);

 private:
  std::unique_ptr<kube::Client> api_;
};

/// A token for the desk's audience, bound to a pod of the namespace's default ServiceAccount: what the kubelet puts
/// into that pod, and what who may edit the namespace can ask for (serviceaccounts/token).
std::string pod_token(const World& world, const std::string& pod);

}  // namespace rollcall::e2e
