#include "launch/rules/spec/family.h"
#include "launch/rules/spec/shape.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  report_shape(launch, ShapeProblem::Kind::missing, spec_missing_field, judgement);
}

}  // namespace

const Rule spec_missing_field{
    .id = "spec/missing-field",
    .severity = Severity::deny,
    .title = "a field that every job needs is missing",
    .why = "The API server refuses the object; without a cluster at hand nobody says so before it is applied.",
    .wrong = "spec without nnodes",
    .right = "nnodes: 4",
    .check = check,
};

}  // namespace rollcall::launch::rules
