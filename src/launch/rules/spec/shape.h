#pragma once

#include "launch/rules/rule.h"

namespace rollcall::launch::rules {

/// Adds the shape problems of one kind as findings of `rule`: they were worded where the field was read.
void report_shape(const Launch& launch, ShapeProblem::Kind kind, const Rule& rule, Judgement& judgement);

}  // namespace rollcall::launch::rules
