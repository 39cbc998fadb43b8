#include <string>

#include "launch/kinds/context.h"
#include "launch/rules/rendezvous/family.h"
#include "launch/rules/scheduling/readiness.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  if (launch.around == nullptr) return;
  const bool set = launch.kind == JobKind::stateful_set;
  for (const Role& role : launch.roles) {
    const Told& told = role.told;
    const Field probe = role.container["readinessProbe"];
    if (!told.master.known() || !several(role) || !answers_after_the_world(role, probe)) continue;
    const std::string name =
        set ? launch.root["spec"]["serviceName"].text() : role.pod_template["spec"]["subdomain"].text();
    if (name.empty() || !told.master->starts_with(launch.object.name + "-")) continue;
    const std::size_t dot = told.master->find('.');
    if (dot == std::string::npos || told.master->substr(dot + 1, told.master->find('.', dot + 1) - dot - 1) != name)
      continue;
    const Service* service = launch.around->service(launch.object.namespace_name, name);
    if (service == nullptr || !service->headless || service->publishes_not_ready || service->external_name) continue;
    judgement.add(rendezvous_names_only_when_ready, probe.path())
        .wrong(
            "the nodes meet at `{}`, which Service {} tells of ready pods alone, and no pod is ready before they have "
            "met.",
            *told.master, name)
        .instead("Write publishNotReadyAddresses: true in Service {}.", name);
  }
}

}  // namespace

const Rule rendezvous_names_only_when_ready{
    .id = "rendezvous/names-only-when-ready",
    .severity = Severity::deny,
    .title = "a name that resolves only when the world has met",
    .why =
        "A headless Service without publishNotReadyAddresses has a name for ready pods alone. torchrun starts the "
        "program that answers the readiness probe only when all nodes have met, and they meet at that name: nobody "
        "finds node rank 0.",
    .wrong = "a readinessProbe and a headless Service without publishNotReadyAddresses",
    .right = "publishNotReadyAddresses: true in the Service",
    .check = check,
    .kinds = {JobKind::stateful_set, JobKind::batch_job},
};

}  // namespace rollcall::launch::rules
