#include "launch/rules/suppression/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Ignored& ignored : launch.ignored) {
    if (!ignored.reason.empty()) continue;
    judgement.add(suppression_without_reason, ignored.path)
        .wrong("`{}` is to be passed over without a reason, so it is not.", ignored.rule.substr(0, 80))
        .instead("Write `{}: why`.", ignored.rule.substr(0, 80));
  }
}

}  // namespace

const Rule suppression_without_reason{
    .id = "suppression/without-reason",
    .severity = Severity::warn,
    .title = "a rule is to be passed over without a reason",
    .why =
        "Who meets the job next must be able to tell a decision from a shortcut; without a reason the rule still "
        "counts.",
    .wrong = "rollcall.dev/ignore: gpu/fewer-processes-than-gpus",
    .right = "rollcall.dev/ignore: 'gpu/fewer-processes-than-gpus: one process drives all of them'",
    .check = check,
    .kinds = kEveryObject,
};

}  // namespace rollcall::launch::rules
