#include <string>

#include "launch/kinds/context.h"
#include "launch/rules/mesh/family.h"

namespace rollcall::launch::rules {
namespace {

bool opted_out(const Field& metadata) {
  for (const char* place : {"labels", "annotations"}) {
    for (const char* key : {"sidecar.istio.io/inject", "linkerd.io/inject"}) {
      const std::string value = metadata[place][key].text();
      if (value == "false" || value == "disabled") return true;
    }
  }
  return false;
}

void check(const Launch& launch, Judgement& judgement) {
  const Namespace* space =
      launch.around == nullptr ? nullptr : launch.around->find_namespace(launch.object.namespace_name);
  if (space == nullptr) return;
  const auto injects = space->labels.find("istio-injection");
  if ((injects == space->labels.end() || injects->second != "enabled") && !space->labels.contains("istio.io/rev"))
    return;
  if (launch.roles.size() == 1 && !launch.roles[0].asks_for_many()) return;
  for (const Role& role : launch.roles) {
    const Field metadata = role.pod_template["metadata"];
    if (opted_out(metadata)) continue;
    judgement.add(mesh_sidecar, metadata.path())
        .wrong("namespace {} puts a mesh proxy into these pods, and its connections between ranks hang.", space->name)
        .instead("Write the label sidecar.istio.io/inject: \"false\" into the template's metadata.");
  }
}

}  // namespace

const Rule mesh_sidecar{
    .id = "mesh/sidecar",
    .severity = Severity::warn,
    .title = "a mesh sidecar between the ranks",
    .why =
        "The namespace puts a proxy into every pod. It takes the ranks' connections for its own, holds them until the "
        "application speaks first, or breaks them: the rendezvous connects, and the first collective hangs.",
    .wrong = "a namespace with istio-injection: enabled",
    .right = "the pods with sidecar.istio.io/inject: \"false\"",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
