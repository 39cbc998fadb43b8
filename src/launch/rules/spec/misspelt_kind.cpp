#include "launch/rules/spec/family.h"
#include "launch/rules/spec/shape.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  report_shape(launch, ShapeProblem::Kind::misspelt, spec_misspelt_kind, judgement);
}

}  // namespace

const Rule spec_misspelt_kind{
    .id = "spec/misspelt-kind",
    .severity = Severity::warn,
    .title = "a kind or group is nearly that of a known one",
    .why =
        "The API server knows kinds by their exact group, version and name and refuses every other one. Until then "
        "nothing looks at the object: it passes every check because none is for it.",
    .wrong = "kind: PytorchJob",
    .right = "kind: PyTorchJob",
    .check = check,
    .kinds = {JobKind::no_kind},
};

}  // namespace rollcall::launch::rules
