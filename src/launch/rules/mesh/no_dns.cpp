#include <algorithm>

#include "launch/rules/mesh/family.h"
#include "launch/rules/mesh/traffic.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const bool several = launch.roles.size() > 1 || std::any_of(launch.roles.begin(), launch.roles.end(),
                                                              [](const Role& role) { return role.asks_for_many(); });
  // Where the ranks are cut off from each other, that is said, and is more.
  if (!several || launch.kind == JobKind::training_job || first_cut(launch)) return;
  for (const Role& role : launch.roles) {
    const NetworkPolicy* policy = policy_without_dns(launch, role);
    if (policy == nullptr) continue;
    judgement.add_in(mesh_no_dns, policy->object, policy->places.at(policy->egress.path))
        .wrong("no egress of the pods of {} {} to port 53 is let through, and they call each other by name.",
               launch.object.kind, launch.object.name)
        .instead("Add an egress rule with ports 53 of UDP and TCP to the cluster's DNS.");
    return;
  }
}

}  // namespace

const Rule mesh_no_dns{
    .id = "mesh/no-dns",
    .severity = Severity::warn,
    .title = "an egress policy that forgets the DNS",
    .why =
        "A policy is about what leaves the job's pods and lets no question to the cluster's DNS out. Node rank 0 is "
        "called by a name, so no other node finds it. Another policy of the cluster may let them out: policies add up.",
    .wrong = "policyTypes: [Egress] with egress to the job's own pods only",
    .right = "the same with ports: [{protocol: UDP, port: 53}, {protocol: TCP, port: 53}]",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
