#include <string>
#include <string_view>

#include "launch/patch.h"
#include "launch/rules/host_network/family.h"

namespace rollcall::launch::rules {
namespace {

bool mentions(const Field& container, std::string_view text) {
  for (const char* list : {"command", "args"}) {
    for (std::size_t i = 0; i < container[list].size(); ++i)
      if (container[list][i].text().find(text) != std::string::npos) return true;
  }
  return false;
}

/// The Service below which pods have names, as far as the manifest says.
std::string subdomain_of(const Launch& launch, const Role& role) {
  const Field spec = launch.root["spec"];
  if (launch.kind == JobKind::stateful_set) return spec["serviceName"].text();
  if (launch.kind == JobKind::job_set) return spec["network"]["subdomain"].text(launch.object.name);
  return role.pod_template["spec"]["subdomain"].text();
}

/// `llama-0.llama`, `llama-0.llama.team.svc…` below the subdomain `llama`.
bool is_below(const std::string& host, const std::string& subdomain) {
  const std::size_t dot = host.find('.');
  if (subdomain.empty() || dot == std::string::npos) return false;
  const std::string rest = host.substr(dot + 1);
  return rest == subdomain || rest.starts_with(subdomain + ".");
}

/// Whether these pods call others by the names that the kind's controller hands over, or by those of their Service.
bool calls_names(const Launch& launch, const Role& role) {
  if (launch.kind == JobKind::leader_worker_set)
    return role.asks_for_many() && mentions(role.container, "LWS_LEADER_ADDRESS");
  if (launch.kind == JobKind::pytorch_job)
    return launch.roles.size() == 2 && !launch.root["spec"]["elasticPolicy"].present() &&
           !role.told.node_rank.known() && role.command.launcher.known() && !role.command.flag("--rdzv-endpoint") &&
           !role.command.flag("--master-addr");
  if (launch.kind == JobKind::volcano_job)
    return mentions(role.container, "/etc/volcano/") ||
           (launch.root["spec"]["plugins"]["pytorch"].present() && mentions(role.container, "MASTER_ADDR"));
  return role.asks_for_many() && role.told.master.known() && is_below(*role.told.master, subdomain_of(launch, role));
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Field pod = role.pod_template["spec"];
    const Field policy = pod["dnsPolicy"];
    const std::string named = policy.text("ClusterFirst");
    const bool asks_node = named == "Default" || (role.host_network && named == "ClusterFirst");
    if (!asks_node || pod["hostAliases"].present() || pod["dnsConfig"].present() || !calls_names(launch, role))
      continue;
    const std::string right = role.host_network ? "ClusterFirstWithHostNet" : "ClusterFirst";
    judgement.add(host_network_names_do_not_resolve, policy.path())
        .wrong("the pods {} ask the node's resolver, which does not know the other pods' names.",
               named == "Default" ? "have dnsPolicy Default and" : "are on the host network and")
        .instead("Write dnsPolicy: {}.", right)
        .patch(add_patch(policy.path(), right));
  }
}

}  // namespace

const Rule host_network_names_do_not_resolve{
    .id = "host-network/names-do-not-resolve",
    .severity = Severity::deny,
    .title = "names of the cluster on the host network without its DNS",
    .why =
        "A pod on the host network asks the node's resolver unless dnsPolicy says otherwise, and that does not know "
        "the cluster's names. The addresses that the controller hands over resolve nowhere.",
    .wrong = "hostNetwork: true in a PyTorchJob",
    .right = "hostNetwork: true with dnsPolicy: ClusterFirstWithHostNet",
    .check = check,
    .kinds = {JobKind::pytorch_job, JobKind::volcano_job, JobKind::batch_job, JobKind::job_set,
              JobKind::leader_worker_set, JobKind::stateful_set},
};

}  // namespace rollcall::launch::rules
