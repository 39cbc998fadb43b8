#include <string>
#include <string_view>

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

/// Whether these pods call others by the names that the kind's controller hands over.
bool calls_names(const Launch& launch, const Role& role) {
  if (launch.kind == JobKind::pytorch_job)
    return launch.roles.size() == 2 && !launch.root["spec"]["elasticPolicy"].present() &&
           !role.told.node_rank.known() && role.command.launcher.known() && !role.command.flag("--rdzv-endpoint") &&
           !role.command.flag("--master-addr");
  return mentions(role.container, "/etc/volcano/") ||
         (launch.root["spec"]["plugins"]["pytorch"].present() && mentions(role.container, "MASTER_ADDR"));
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Field pod = role.pod_template["spec"];
    const std::string policy = pod["dnsPolicy"].text("ClusterFirst");
    if (!role.host_network || policy != "ClusterFirst" || pod["hostAliases"].present() || !calls_names(launch, role))
      continue;
    judgement.add(host_network_names_do_not_resolve, pod["dnsPolicy"].path())
        .wrong(
            "the pods are on the host network and ask the node's resolver, which does not know the other pods' names.")
        .instead("Write dnsPolicy: ClusterFirstWithHostNet.");
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
    .kinds = {JobKind::pytorch_job, JobKind::volcano_job},
};

}  // namespace rollcall::launch::rules
