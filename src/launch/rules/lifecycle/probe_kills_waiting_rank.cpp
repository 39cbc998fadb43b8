#include <algorithm>

#include "launch/rules/lifecycle/family.h"
#include "launch/rules/scheduling/readiness.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

/// What torchrun waits for the last node by itself.
constexpr long long kRendezvousSeconds = 600;

long long seconds(const Field& probe, const char* name, long long otherwise) {
  const Field field = probe[name];
  if (!field.is_integer()) return otherwise;
  // The schema's int32; more is no time that matters here.
  return std::clamp<long long>(field.json().get<long long>(), 0, 1'000'000);
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    if (!several(role)) continue;
    // The liveness probe begins when the startup probe has been answered.
    const Field startup = role.container["startupProbe"];
    const Field probe = startup.present() ? startup : role.container["livenessProbe"];
    if (!probe.is_object() || !answers_after_the_world(role, probe)) continue;
    const long long window = seconds(probe, "initialDelaySeconds", 0) +
                             seconds(probe, "periodSeconds", 10) * seconds(probe, "failureThreshold", 3);
    if (window >= kRendezvousSeconds) continue;
    judgement.add(lifecycle_probe_kills_waiting_rank, probe.path())
        .wrong(
            "a rank that waits longer than {} s for the other {} nodes is killed: nothing answers before all are "
            "there.",
            window, *role.told.least_nodes - 1)
        .instead("Write a startupProbe with periodSeconds: 10 and failureThreshold: 180, or leave the probe out.");
  }
}

}  // namespace

const Rule lifecycle_probe_kills_waiting_rank{
    .id = "lifecycle/probe-kills-waiting-rank",
    .severity = Severity::warn,
    .title = "a probe that kills a rank which waits for the others",
    .why =
        "torchrun starts the program only when every node is there. Until then nothing answers the probe, and the "
        "kubelet restarts the container: the others lose the node they were about to meet, and so on.",
    .wrong = "livenessProbe that gives up after 60 s with two nodes",
    .right = "the same with a startupProbe of 30 min",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
