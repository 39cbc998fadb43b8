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

/// `llama-0.llama.OTHER.svc`: a pod has its name in its own namespace alone.
std::string another_namespace(const Launch& launch, const std::vector<std::string>& parts) {
  const std::string& space = launch.object.namespace_name;
  if (space.empty() || parts.size() < 4 || parts[3] != "svc" || parts[2] == space) return {};
  return fmt::format("the pods are in the namespace `{}`, not `{}`", space, parts[2]);
}

bool names_are_off(const Field& spec) {
  const Field names = spec["network"]["enableDNSHostnames"];
  return names.is_bool() && !names.json().get<bool>();
}

/// SET-ROLE-JOB-POD.SUBDOMAIN, where the subdomain is the set's name unless network.subdomain says otherwise.
std::string why_not_of_job_set(const Launch& launch, const std::vector<std::string>& parts) {
  const std::string& name = launch.object.name;
  const Field spec = launch.root["spec"];
  const std::string rest = parts[0].substr(name.size() + 1);
  const std::size_t last = rest.rfind('-');
  const std::size_t middle = last == std::string::npos || last == 0 ? last : rest.rfind('-', last - 1);
  if (last == std::string::npos || middle == std::string::npos) return {};
  const auto job = whole_number(std::string_view(rest).substr(middle + 1, last - middle - 1));
  const auto pod = whole_number(std::string_view(rest).substr(last + 1));
  const std::string wanted = rest.substr(0, middle);
  if (!job || !pod || names_are_off(spec)) return {};
  const Field jobs = spec["replicatedJobs"];
  std::string roles;
  for (std::size_t i = 0; i < launch.roles.size() && i < jobs.size(); ++i) {
    const Role& role = launch.roles[i];
    if (role.name.empty()) return {};  // no string: `name: n` is a boolean to YAML 1.1
    roles += (roles.empty() ? "`" : ", `") + role.name + "`";
    if (role.name != wanted) continue;
    const Field pod_spec = role.pod_template["spec"];
    if (pod_spec["subdomain"].present() || pod_spec["hostname"].present()) return {};
    const Field copies = jobs[i]["replicas"];
    const long long most = copies.is_integer() ? copies.json().get<long long>() : copies.present() ? *job + 1LL : 1;
    if (*job >= most) return fmt::format("`{}` has Jobs 0 to {}", wanted, most - 1);
    const Field completions = jobs[i]["template"]["spec"]["completions"];
    if (!completions.present() && role.pods.known() && *pod >= *role.pods)
      return fmt::format("a Job of `{}` has pods 0 to {}", wanted, *role.pods - 1);
    if (completions.is_integer() && *pod >= completions.json().get<long long>())
      return fmt::format("a Job of `{}` has pods 0 to {}", wanted, completions.json().get<long long>() - 1);
    const std::string subdomain = spec["network"]["subdomain"].text(name);
    if (parts.size() == 1) return fmt::format("the pods' names end in `.{}`", subdomain);
    if (parts[1] != subdomain) return fmt::format("the pods' subdomain is `{}`, not `{}`", subdomain, parts[1]);
    return {};
  }
  return fmt::format("the JobSet has no role `{}`, but {}", wanted, roles);
}

/// SET-INDEX.SERVICENAME. Without a dot the name may be that of a Service for this pod.
std::string why_not_of_stateful_set(const Launch& launch, const std::vector<std::string>& parts) {
  const std::string& name = launch.object.name;
  const Field spec = launch.root["spec"];
  const auto index = whole_number(std::string_view(parts[0]).substr(name.size() + 1));
  const std::string service = spec["serviceName"].text();
  if (!index || parts.size() == 1 || service.empty()) return {};
  const Field first = spec["ordinals"]["start"];
  const Fact<int>& pods = launch.roles.front().pods;
  if (!first.present() && pods.known() && *pods > 0 && *index >= *pods)
    return fmt::format("the StatefulSet has pods 0 to {}", *pods - 1);
  // Behind the dot a namespace may stand, of a Service for this pod.
  const bool other = parts[1] == name || (launch.around != nullptr &&
                                          launch.around->service(launch.object.namespace_name, parts[1]) != nullptr);
  if (parts[1] != service && other) return fmt::format("the pods' names end in `.{}`, the serviceName", service);
  return {};
}

/// SET-GROUP of a leader; its subdomain is the set's name, or SET-GROUP with subdomainPolicy: UniquePerReplica.
std::string why_not_of_group(const Launch& launch, const std::vector<std::string>& parts) {
  const std::string& name = launch.object.name;
  const Field spec = launch.root["spec"];
  const auto group = whole_number(std::string_view(parts[0]).substr(name.size() + 1));
  if (!group || parts.size() == 1) return {};
  const Field groups = spec["replicas"];
  const long long most = groups.is_integer() ? groups.json().get<long long>() : groups.present() ? *group + 1LL : 1;
  if (most > 0 && *group >= most) return fmt::format("the set has groups 0 to {}", most - 1);
  const bool unique = spec["networkConfig"]["subdomainPolicy"].text() == "UniquePerReplica";
  const std::string subdomain = unique ? parts[0] : name;
  if (parts[1] != subdomain && (parts[1] == name || parts[1] == parts[0]))
    return fmt::format("the group's subdomain is `{}`, not `{}`", subdomain, parts[1]);
  return {};
}

}  // namespace

bool is_service_name(std::string_view host) {
  const auto parts = parts_of(host);
  return parts.size() == 1 || (parts.size() >= 3 && parts[2] == "svc");
}

std::string why_unresolvable(const Launch& launch, const Role& role, const std::string& host) {
  const std::string& name = launch.object.name;
  const auto parts = parts_of(host);
  if (name.empty() || !parts[0].starts_with(name + "-")) return {};
  // A Service may have the name that looks like a pod's.
  if (launch.around != nullptr && launch.around->service(launch.object.namespace_name, parts[0]) != nullptr) return {};
  if (const std::string other = another_namespace(launch, parts); !other.empty()) return other;
  if (launch.kind == JobKind::job_set) return why_not_of_job_set(launch, parts);
  if (launch.kind == JobKind::stateful_set) return why_not_of_stateful_set(launch, parts);
  if (launch.kind == JobKind::leader_worker_set) return why_not_of_group(launch, parts);
  if (launch.kind != JobKind::batch_job) return {};
  const auto index = whole_number(std::string_view(parts[0]).substr(name.size() + 1));
  if (!index || role.pod_template["spec"]["hostname"].present()) return {};
  const std::string& space = launch.object.namespace_name;
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
