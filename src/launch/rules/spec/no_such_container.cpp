#include "launch/rules/spec/family.h"
#include "launch/rules/spec/shape.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  report_shape(launch, ShapeProblem::Kind::no_such_container, spec_no_such_container, judgement);
}

}  // namespace

const Rule spec_no_such_container{
    .id = "spec/no-such-container",
    .severity = Severity::deny,
    .title = "trainerContainer names no container of the template",
    .why = "Nobody knows which container trains, so no launch values can be handed to it.",
    .wrong = "trainerContainer: train with containers main, logs",
    .right = "trainerContainer: main",
    .check = check,
};

}  // namespace rollcall::launch::rules
