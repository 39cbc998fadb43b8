#include <algorithm>

#include "roll_call/gpu/judge.h"
#include "roll_call/nccl/judge.h"
#include "roll_call/stages/stage.h"

namespace rollcall::roll_call::stages {
namespace {

bool done(const Pod& pod) { return pod.nccl.has_value(); }

}  // namespace

Progress nccl(Roll& roll, TimePoint now) {
  if (const auto why = nccl_skipped(roll)) return {Outcome::Skipped, *why};
  if (!settled(roll, Stage::Nccl, now, *nccl_due(roll), "told what NCCL says", done)) return {};
  for (const auto& rule : {judge_library, judge_interface, judge_rdma}) {
    for (auto& finding : rule(roll)) add(roll, Stage::Nccl, std::move(finding));
  }
  const auto result = by_findings(roll, Stage::Nccl, nccl_remark(roll));
  if (result.outcome == Outcome::Failed) return result;
  // Without a library to ask, what was compared is files alone.
  if (const auto why = collectives_skipped(roll)) return {Outcome::Skipped, *why};
  return result;
}

Order nccl_order(const Roll&, const Pod& pod) { return {done(pod) ? Step::Wait : Step::Nccl}; }

std::optional<TimePoint> nccl_due(const Roll& roll) { return roll.step_from + device_deadline(roll, kNcclDeadline); }

}  // namespace rollcall::roll_call::stages
