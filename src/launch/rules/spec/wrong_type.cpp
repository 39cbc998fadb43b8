#include "launch/rules/spec/family.h"
#include "launch/rules/spec/shape.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  report_shape(launch, ShapeProblem::Kind::wrong_type, spec_wrong_type, judgement);
}

}  // namespace

const Rule spec_wrong_type{
    .id = "spec/wrong-type",
    .severity = Severity::deny,
    .title = "a value is of the wrong type",
    .why = "The API server refuses the object; a number in quotes is the usual case.",
    .wrong = "nnodes: \"4\"",
    .right = "nnodes: 4",
    .check = check,
    .kinds = kEveryObject,
};

}  // namespace rollcall::launch::rules
