#pragma once

#include <map>
#include <string>
#include <string_view>

namespace rollcall::kube {

/// A kind as the API serves it.
struct Resource {
  std::string group;  ///< "" for core
  std::string version;
  std::string plural;
  bool namespaced = true;
};
extern const Resource kPods, kNodes, kServices, kSecrets, kEvents, kLeases, kTokenReviews, kTrainingJobs, kRollCalls,
    kRollcallPolicies, kNamespaces, kEndpointSlices, kWebhookConfigurations;

/// Path of a resource, escaped; `name` and `subresource` may be empty. `namespace_name` empty = all namespaces or none.
std::string path_of(const Resource& resource, std::string_view namespace_name, std::string_view name = {},
                    std::string_view subresource = {});

/// One path segment or query value: everything but RFC 3986 unreserved characters becomes %XX, so that no value can add
/// a segment, a parameter or a fragment. "." and ".." are escaped too, since a proxy on the way would resolve them.
std::string escape(std::string_view text);

/// `a=1&b=2`, escaped, in the map's order; empty for none.
std::string query_of(const std::map<std::string, std::string>& query);

}  // namespace rollcall::kube
