#include "launch/rules/registry.h"
#include "launch/rules/suppression/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Ignored& ignored : launch.ignored) {
    if (find_rule(ignored.rule) != nullptr) continue;
    judgement.add(suppression_of_no_rule, ignored.path)
        .wrong("there is no rule `{}`.", ignored.rule.substr(0, 80))
        .instead("Write a rule's id as findings show it in brackets, one line a rule.");
  }
}

}  // namespace

const Rule suppression_of_no_rule{
    .id = "suppression/of-no-rule",
    .severity = Severity::warn,
    .title = "a rule is to be passed over that does not exist",
    .why = "A misspelt id suppresses nothing, and the finding it was meant for stands.",
    .wrong = "rollcall.dev/ignore: 'gpu/fewer-processes: one process drives all of them'",
    .right = "rollcall.dev/ignore: 'gpu/fewer-processes-than-gpus: one process drives all of them'",
    .check = check,
    .kinds = kEveryObject,
};

}  // namespace rollcall::launch::rules
