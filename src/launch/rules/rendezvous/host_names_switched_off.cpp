#include <string>

#include "launch/patch.h"
#include "launch/rules/rendezvous/family.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

/// `SET-ROLE-JOB-POD.…`
bool is_pod_of(const Launch& launch, const std::string& host) {
  for (const Role& role : launch.roles)
    if (host.starts_with(launch.object.name + "-" + role.name + "-") && host.find('.') != std::string::npos)
      return true;
  return false;
}

void check(const Launch& launch, Judgement& judgement) {
  const Field names = launch.root["spec"]["network"]["enableDNSHostnames"];
  if (!names.is_bool() || names.json().get<bool>() || launch.object.name.empty()) return;
  for (const Role& role : launch.roles) {
    const Told& told = role.told;
    if (!told.master.known() || !several(role) || !is_pod_of(launch, *told.master)) continue;
    if (role.pod_template["spec"]["subdomain"].present()) continue;
    judgement.add(rendezvous_host_names_switched_off, names.path())
        .wrong("{}`{}` is to be a pod's name, but the JobSet gives its pods none.", told.master_what, *told.master)
        .instead("Take the field out, or write true.")
        .patch(add_patch(names.path(), true));
    return;
  }
}

}  // namespace

const Rule rendezvous_host_names_switched_off{
    .id = "rendezvous/host-names-switched-off",
    .severity = Severity::deny,
    .title = "names of a JobSet that gives none",
    .why =
        "With enableDNSHostnames: false the pods of a JobSet have no names in the cluster's DNS. The address of node "
        "rank 0 resolves nowhere.",
    .wrong = "enableDNSHostnames: false with --master-addr=llama-node-0-0.llama",
    .right = "no network.enableDNSHostnames",
    .check = check,
    .kinds = {JobKind::job_set},
};

}  // namespace rollcall::launch::rules
