#include "launch/kinds/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "launch/kinds/context.h"
#include "launch/kinds/shape.h"

namespace rollcall::launch {
namespace {

std::vector<std::string> parts_of(std::string_view host) {
  std::vector<std::string> parts(1);
  for (const char c : host) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// The first label that the selector asks for and the pods do not have; empty when they have all. Labels that
/// controllers set are taken to be there.
std::string missing_label(const Service& service, const Launch& launch, const Role& role) {
  const Labels labels = labels_of(role.pod_template["metadata"]["labels"]);
  for (const auto& [key, value] : service.selector) {
    const bool job_name = key == "job-name" || key == "batch.kubernetes.io/job-name";
    const auto found = labels.find(key);
    const bool there = found != labels.end() ? found->second == value
                       : job_name            ? value == launch.object.name
                                  : key.find("kubernetes.io/") != std::string::npos || key == "controller-uid";
    if (!there) return key + ": " + value;
  }
  return {};
}

}  // namespace

bool is_service_name(std::string_view host) {
  const auto parts = parts_of(host);
  return parts.size() == 1 || (parts.size() >= 3 && parts[2] == "svc");
}

std::string why_unresolvable(const Launch& launch, const Role& role, const std::string& host) {
  const std::string& name = launch.object.name;
  if (launch.kind != JobKind::batch_job || name.empty()) return {};
  const auto parts = parts_of(host);
  if (!parts[0].starts_with(name + "-")) return {};
  const auto index = whole_number(std::string_view(parts[0]).substr(name.size() + 1));
  if (!index || role.pod_template["spec"]["hostname"].present()) return {};
  const std::string& space = launch.object.namespace_name;
  if (launch.around != nullptr && launch.around->service(space, parts[0]) != nullptr) return {};
  const Field completions = launch.root["spec"]["completions"];
  const bool more_later =
      completions.is_integer() && role.pods.known() && completions.json().get<long long>() > *role.pods;
  if (!more_later && role.pods.known() && *index >= *role.pods)
    return fmt::format("the Job has pods 0 to {}", *role.pods - 1);
  if (launch.root["spec"]["completionMode"].text() != "Indexed") return {};
  const Field pod = role.pod_template["spec"];
  const std::string subdomain = pod["subdomain"].text();
  if (parts.size() == 1) return "without the name of a headless Service behind it, it is known to the pod itself alone";
  if (subdomain.empty()) return fmt::format("the pods have no subdomain, so no name below `{}`", parts[1]);
  if (parts[1] != subdomain) return fmt::format("the pods' subdomain is `{}`, not `{}`", subdomain, parts[1]);
  const Service* service = launch.around == nullptr ? nullptr : launch.around->service(space, subdomain);
  if (service == nullptr || service->external_name) return {};
  if (!service->headless)
    return fmt::format("Service `{}` has a cluster IP; only a headless one gives pods names", subdomain);
  if (service->selector.empty()) return {};
  const std::string missing = missing_label(*service, launch, role);
  if (!missing.empty())
    return fmt::format("Service `{}` selects pods with the label {}, which these do not have", subdomain, missing);
  return {};
}

}  // namespace rollcall::launch
