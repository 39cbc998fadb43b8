#include "launch/rules/lifecycle/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Field spec = launch.root["spec"];
  for (const Field& time : {spec["ttlSecondsAfterFinished"], spec["runPolicy"]["ttlSecondsAfterFinished"]}) {
    if (!time.is_integer() || time.json().get<long long>() != 0) continue;
    judgement.add(lifecycle_logs_gone_at_once, time.path())
        .wrong("the {} and its pods are deleted in the moment it ends, logs and all.", launch.object.kind)
        .instead("Write some hours, like 86400.");
  }
}

}  // namespace

const Rule lifecycle_logs_gone_at_once{
    .id = "lifecycle/logs-gone-at-once",
    .severity = Severity::info,
    .title = "a job that is deleted when it ends",
    .why =
        "The object and its pods are deleted in the moment the job ends, and with them the logs that say why it "
        "failed.",
    .wrong = "ttlSecondsAfterFinished: 0",
    .right = "ttlSecondsAfterFinished: 86400",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
