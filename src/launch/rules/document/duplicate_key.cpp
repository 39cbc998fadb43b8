#include "launch/rules/document/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Duplicate& duplicate : launch.duplicates) {
    judgement.add(document_duplicate_key, duplicate.path)
        .wrong("the key stands here a second time; the first is in line {}.", duplicate.line)
        .instead("Keep one of the two.");
  }
}

}  // namespace

const Rule document_duplicate_key{
    .id = "document/duplicate-key",
    .severity = Severity::deny,
    .title = "a key is written twice in one mapping",
    .why =
        "kubectl refuses the object when it validates, and takes the last of the two when it does not; other readers "
        "take "
        "the first. What the job will be depends on who reads it.",
    .wrong = "nnodes: 2 and, further down, nnodes: 4",
    .right = "nnodes: 4",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
