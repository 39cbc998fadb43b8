#include "launch/rules/spec/family.h"
#include "launch/rules/spec/shape.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  report_shape(launch, ShapeProblem::Kind::out_of_range, spec_out_of_range, judgement);
}

}  // namespace

const Rule spec_out_of_range{
    .id = "spec/out-of-range",
    .severity = Severity::deny,
    .title = "a value is not one that the field can have",
    .why = "The API server refuses the object, or the names of its pods would not fit in a host name.",
    .wrong = "nnodes: 0",
    .right = "nnodes: 4",
    .check = check,
};

}  // namespace rollcall::launch::rules
