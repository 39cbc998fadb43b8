#include "launch/kinds/context.h"
#include "launch/rules/rendezvous/family.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Field service = launch.root["spec"]["serviceName"];
  if (!service.text().empty() || launch.object.name.empty()) return;
  for (const Role& role : launch.roles) {
    const Told& told = role.told;
    if (!told.master.known() || !several(role) || !told.master->starts_with(launch.object.name + "-")) continue;
    const std::string first = told.master->substr(0, told.master->find('.'));
    if (launch.around != nullptr && launch.around->service(launch.object.namespace_name, first) != nullptr) continue;
    judgement.add(rendezvous_stateful_set_without_service, service.path())
        .wrong("the field is empty, so the pods have no names, but {}`{}` is to be one.", told.master_what,
               *told.master)
        .instead("Write the name of a headless Service that selects the pods, and {}-0.SERVICE as the address.",
                 launch.object.name);
  }
}

}  // namespace

const Rule rendezvous_stateful_set_without_service{
    .id = "rendezvous/stateful-set-without-service",
    .severity = Severity::deny,
    .title = "a StatefulSet of several nodes without a Service",
    .why =
        "The pods of a StatefulSet have names only below the headless Service that spec.serviceName names. With an "
        "empty one no pod has a name, and the address of node rank 0 resolves nowhere.",
    .wrong = "serviceName: \"\" with --dist-init-addr llama-head:5000",
    .right = "serviceName: llama with --dist-init-addr llama-0.llama:5000",
    .check = check,
    .kinds = {JobKind::stateful_set},
};

}  // namespace rollcall::launch::rules
