#include "launch/rules/lifecycle/family.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

/// What torchrun waits for the last node by itself: the join time-out of its rendezvous and of the static store.
constexpr long long kRendezvousSeconds = 600;

void look_at(const Field& deadline, Judgement& judgement) {
  if (!deadline.is_integer() || deadline.json().get<long long>() >= kRendezvousSeconds) return;
  judgement.add(lifecycle_deadline_below_start, deadline.path())
      .wrong("the job is ended {} s after its start, but its nodes may wait {} s for the last of them.",
             deadline.json().dump(), kRendezvousSeconds)
      .instead("Write the longest time that the whole run may take, or leave it out.");
}

void check(const Launch& launch, Judgement& judgement) {
  if (!has_several_nodes(launch)) return;
  const Field spec = launch.root["spec"];
  look_at(spec["activeDeadlineSeconds"], judgement);
  look_at(spec["runPolicy"]["activeDeadlineSeconds"], judgement);
  const Field jobs = spec["replicatedJobs"];
  for (std::size_t i = 0; i < jobs.size(); ++i)
    look_at(jobs[i]["template"]["spec"]["activeDeadlineSeconds"], judgement);
  if (launch.kind == JobKind::pod) return;  // its own spec was looked at
  for (const Role& role : launch.roles) look_at(role.pod_template["spec"]["activeDeadlineSeconds"], judgement);
}

}  // namespace

const Rule lifecycle_deadline_below_start{
    .id = "lifecycle/deadline-below-start",
    .severity = Severity::warn,
    .title = "a deadline shorter than the start may take",
    .why =
        "The deadline runs from the moment the object is made or started: waiting for nodes, image pulls and the "
        "rendezvous count. torchrun alone waits 600 s for the last node. A job of several nodes that is a little late "
        "is ended before its first step.",
    .wrong = "activeDeadlineSeconds: 300 with several nodes",
    .right = "activeDeadlineSeconds: 86400",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
