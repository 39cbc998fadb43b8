#include <algorithm>

#include "launch/kinds/context.h"
#include "launch/kinds/names.h"
#include "launch/rules/rendezvous/family.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  if (launch.around == nullptr) return;
  for (const Role& role : launch.roles) {
    const Told& told = role.told;
    if (!told.rendezvous.known() || *told.rendezvous != "c10d" || !told.master.known() || !several(role)) continue;
    // `is_host=1` in the configuration tells a node to host whatever the name resolves to.
    if (role.command.flag("--rdzv-conf") != nullptr) continue;
    const auto& env = role.command.env;
    if (std::any_of(env.begin(), env.end(), [](const EnvEntry& entry) { return entry.name == "PET_RDZV_CONF"; }))
      continue;
    const std::string& host = *told.master;
    const Service* service = launch.around->service(launch.object.namespace_name, host.substr(0, host.find('.')));
    if (service == nullptr || service->headless || service->external_name) continue;
    if (!is_service_name(host)) continue;
    judgement.add(rendezvous_c10d_through_cluster_ip, told.master.path())
        .wrong("{}`{}` is a Service with a cluster IP, which is no pod's own address: no node hosts the store.",
               told.master_what, host)
        .instead("Write clusterIP: None in Service {}, with publishNotReadyAddresses: true.", service->name);
  }
}

}  // namespace

const Rule rendezvous_c10d_through_cluster_ip{
    .id = "rendezvous/c10d-through-cluster-ip",
    .severity = Severity::deny,
    .title = "a Service with a cluster IP as the c10d endpoint",
    .why =
        "A node hosts the c10d store when the endpoint resolves to one of its own addresses. A cluster IP belongs to "
        "no pod: nobody hosts the store, and every node connects until its deadline.",
    .wrong = "--rdzv-endpoint=llama:29500 with a Service llama that has a cluster IP",
    .right = "the same with clusterIP: None",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
