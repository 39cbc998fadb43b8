#include <algorithm>
#include <string>

#include "launch/rules/command_text.h"
#include "launch/rules/rendezvous/family.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

/// Whether nothing gives these pods a name in the cluster's DNS.
bool has_no_name(const Launch& launch, const Role& role) {
  const Field spec = launch.root["spec"];
  if (role.pod_template["spec"]["subdomain"].present() || role.pod_template["spec"]["hostAliases"].present())
    return false;
  if (launch.kind == JobKind::batch_job) return true;
  if (launch.kind == JobKind::job_set) {
    const Field names = spec["network"]["enableDNSHostnames"];
    return names.is_bool() && !names.json().get<bool>();
  }
  // The plugin svc gives names, and other plugins bring it along.
  const Field plugins = spec["plugins"];
  return !plugins.present() ||
         (plugins.is_object() &&
          std::all_of(plugins.json().items().begin(), plugins.json().items().end(),
                      [](const auto& plugin) { return plugin.key() == "env" || plugin.key() == "ssh"; }));
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Told& told = role.told;
    if (!told.rendezvous.known() || *told.rendezvous != "c10d" || !several(role) || role.host_network) continue;
    if (role.command.flag("--local-addr") != nullptr || may_have_env(role, "PET_LOCAL_ADDR")) continue;
    if (role.command.flag("--standalone") != nullptr || !has_no_name(launch, role) ||
        judgement.denied(told.master.path()))
      continue;
    if (judgement.denied(told.rendezvous.path())) continue;
    const std::string path = role.pod_template["spec"]["subdomain"].path();
    judgement.add(rendezvous_c10d_publishes_host_name, path)
        .wrong("with c10d node rank 0 tells the other {} its host name, and these pods have none that others resolve.",
               *told.least_nodes - 1)
        .instead("Write the subdomain of a headless Service, or --local-addr=$(POD_IP) with POD_IP from status.podIP.");
  }
}

}  // namespace

const Rule rendezvous_c10d_publishes_host_name{
    .id = "rendezvous/c10d-publishes-host-name",
    .severity = Severity::warn,
    .title = "a host name that the other pods cannot resolve",
    .why =
        "Whatever the endpoint is, c10d only introduces the nodes: node rank 0 then publishes its own host name and a "
        "free port, and all others call that. A pod has a name that others resolve only with a subdomain of a headless "
        "Service.",
    .wrong = "torchrun --rdzv-backend=c10d in pods without subdomain",
    .right = "the same with subdomain: llama and a headless Service, or --local-addr=$(POD_IP)",
    .check = check,
    .kinds = {JobKind::batch_job, JobKind::job_set, JobKind::volcano_job},
};

}  // namespace rollcall::launch::rules
