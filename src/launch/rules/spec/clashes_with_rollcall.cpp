#include "launch/rules/spec/family.h"
#include "launch/rules/spec/shape.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  report_shape(launch, ShapeProblem::Kind::clash, spec_clash, judgement);
}

}  // namespace

const Rule spec_clash{
    .id = "spec/clashes-with-rollcall",
    .severity = Severity::deny,
    .title = "the template has something where Rollcall puts its own",
    .why =
        "Every pod gets two init containers, three volumes and the folder /rollcall; a container, volume or mount of "
        "that "
        "name would take their place. A pod restarted in place would meet peers that wait for its former process.",
    .wrong = "restartPolicy: OnFailure in the template",
    .right = "no restartPolicy in the template",
    .check = check,
};

}  // namespace rollcall::launch::rules
