#include "roll_call/stages/stage.h"

namespace rollcall::roll_call::stages {
namespace {

bool done(const Pod& pod) { return pod.facts.has_value(); }

}  // namespace

Progress local_facts(Roll& roll, TimePoint now) {
  if (!settled(roll, Stage::LocalFacts, now, *local_facts_due(roll), "read its local facts", done)) return {};
  return by_findings(roll, Stage::LocalFacts);
}

Order local_facts_order(const Roll&, const Pod& pod) { return {done(pod) ? Step::Wait : Step::Facts}; }

std::optional<TimePoint> local_facts_due(const Roll& roll) { return roll.step_from + kFactsDeadline; }

}  // namespace rollcall::roll_call::stages
