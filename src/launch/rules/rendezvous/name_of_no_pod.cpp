#include <string>

#include "launch/kinds/names.h"
#include "launch/rules/rendezvous/family.h"
#include "launch/rules/rendezvous/master.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

/// A patch after which the name resolves, as far as the manifest shows.
std::string cleared(const Launch& launch, const Role& role) {
  const std::string master = master_of(launch, role);
  if (master.empty() || !why_unresolvable(launch, role, master).empty()) return {};
  return replace_master_patch(launch, role);
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Told& told = role.told;
    if (!told.master.known() || !several(role)) continue;
    const std::string problem = why_unresolvable(launch, role, *told.master);
    if (problem.empty()) continue;
    judgement.add(rendezvous_name_of_no_pod, told.master.path())
        .wrong("{}`{}` cannot resolve: {}.", told.master_what, *told.master, problem)
        .instead("{}", launch.master_advice)
        .patch(cleared(launch, role));
  }
}

}  // namespace

const Rule rendezvous_name_of_no_pod{
    .id = "rendezvous/name-of-no-pod",
    .severity = Severity::deny,
    .title = "a pod's name that cannot resolve",
    .why =
        "A pod has a name in the cluster's DNS only as HOSTNAME.SUBDOMAIN, where its subdomain is the name of a "
        "headless Service that selects it. Any other name resolves nowhere, or on the pod itself alone: nodes wait for "
        "an address that never comes.",
    .wrong = "--master-addr=llama-0.llama without subdomain: llama",
    .right = "the same with subdomain: llama and a headless Service llama",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
