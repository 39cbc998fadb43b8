#include "kube/resource.h"

#include "api/names.h"

namespace rollcall::kube {

namespace names = api::names;

const Resource kPods{"", "v1", "pods", true};
const Resource kNodes{"", "v1", "nodes", false};
const Resource kServices{"", "v1", "services", true};
const Resource kSecrets{"", "v1", "secrets", true};
const Resource kEvents{"", "v1", "events", true};
const Resource kLeases{"coordination.k8s.io", "v1", "leases", true};
const Resource kTokenReviews{"authentication.k8s.io", "v1", "tokenreviews", false};
const Resource kTrainingJobs{names::kGroup, names::kVersion, "trainingjobs", true};
const Resource kRollCalls{names::kGroup, names::kVersion, "rollcalls", true};
const Resource kRollcallPolicies{names::kGroup, names::kVersion, "rollcallpolicies", false};
const Resource kNamespaces{"", "v1", "namespaces", false};
const Resource kEndpointSlices{"discovery.k8s.io", "v1", "endpointslices", true};
const Resource kWebhookConfigurations{"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", false};

std::string escape(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  const bool dots = text == "." || text == "..";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || c == '~' || (c == '.' && !dots);
    if (plain) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

std::string query_of(const std::map<std::string, std::string>& query) {
  std::string out;
  for (const auto& [key, value] : query) {
    if (!out.empty()) out += '&';
    out += escape(key) + '=' + escape(value);
  }
  return out;
}

std::string path_of(const Resource& resource, std::string_view namespace_name, std::string_view name,
                    std::string_view subresource) {
  std::string path = resource.group.empty() ? "/api/" : "/apis/" + escape(resource.group) + '/';
  path += escape(resource.version);
  if (resource.namespaced && !namespace_name.empty()) path += "/namespaces/" + escape(namespace_name);
  path += '/' + escape(resource.plural);
  if (!name.empty()) path += '/' + escape(name);
  if (!subresource.empty()) path += '/' + escape(subresource);
  return path;
}

}  // namespace rollcall::kube
