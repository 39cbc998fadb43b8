#include "launch/rules/spec/shape.h"

namespace rollcall::launch::rules {

void report_shape(const Launch& launch, ShapeProblem::Kind kind, const Rule& rule, Judgement& judgement) {
  for (const ShapeProblem& problem : launch.shape) {
    if (problem.kind != kind) continue;
    judgement.add(rule, problem.path).wrong("{}", problem.message).instead("{}", problem.fix).patch(problem.patch);
  }
}

}  // namespace rollcall::launch::rules
