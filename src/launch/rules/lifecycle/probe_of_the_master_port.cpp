#include "launch/patch.h"
#include "launch/rules/command_text.h"
#include "launch/rules/lifecycle/family.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Told& told = role.told;
    if (!several(role) || !told.port.known() || has_company(role) || starts_in_background(role.container) ||
        !role.command.launcher.known())
      continue;
    for (const char* name : {"livenessProbe", "startupProbe"}) {
      const Field probe = role.container[name];
      const Field port = probe["tcpSocket"]["port"];
      if (!port.is_integer() || port.json().get<long long>() != *told.port || probe["tcpSocket"]["host"].present())
        continue;
      // A reserved store of one's own may be anywhere on the host network.
      if (role.host_network) continue;
      judgement.add(lifecycle_probe_of_the_master_port, port.path())
          .wrong(
              "every pod is asked for port {}, where node rank 0 alone listens: the other {} are restarted for ever.",
              *told.port, *role.pods - (role.leads ? 1 : 0))
          .instead("Take the {} out.", name)
          .patch(remove_patch(probe.path()));
    }
  }
}

}  // namespace

const Rule lifecycle_probe_of_the_master_port{
    .id = "lifecycle/probe-of-the-master-port",
    .severity = Severity::deny,
    .title = "a probe of the master port in every pod",
    .why =
        "Only node rank 0 listens on the master port. In every other pod the probe is never answered, and the kubelet "
        "restarts the container for ever.",
    .wrong = "livenessProbe: {tcpSocket: {port: 29500}} in every pod of --master-port=29500",
    .right = "no such probe",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
