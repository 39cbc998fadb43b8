#include "launch/rules/spec/family.h"
#include "launch/rules/spec/shape.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  report_shape(launch, ShapeProblem::Kind::misspelt, spec_misspelt_field, judgement);
}

}  // namespace

const Rule spec_misspelt_field{
    .id = "spec/misspelt-field",
    .severity = Severity::warn,
    .title = "a field is nearly the name of a known one",
    .why =
        "An unknown field of the template is kept as it is written and refused only when the first pod is made, or has "
        "no effect at all.",
    .wrong = "nodeselector: {pool: a}",
    .right = "nodeSelector: {pool: a}",
    .check = check,
    .kinds = kEveryKind | JobKinds{JobKind::training_runtime},
};

}  // namespace rollcall::launch::rules
