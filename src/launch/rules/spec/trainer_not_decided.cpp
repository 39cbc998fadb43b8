#include "launch/rules/spec/family.h"
#include "launch/rules/spec/shape.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  report_shape(launch, ShapeProblem::Kind::several_candidates, spec_trainer_not_decided, judgement);
}

}  // namespace

const Rule spec_trainer_not_decided{
    .id = "spec/trainer-not-decided",
    .severity = Severity::deny,
    .title = "several containers could be the one that trains",
    .why =
        "The launch values go to one container, and its exit ends the job; with several candidates that must be said.",
    .wrong = "containers a and b, both with GPUs",
    .right = "trainerContainer: a",
    .check = check,
};

}  // namespace rollcall::launch::rules
