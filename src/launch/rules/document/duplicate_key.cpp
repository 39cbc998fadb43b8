#include "launch/rules/document/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Duplicate& duplicate : launch.duplicates) {
    judgement.add(document_duplicate_key, duplicate.path)
        .wrong("the key stands here a second time, and kubectl takes only this one: the first, in line {}, is lost.",
               duplicate.line)
        .instead("Keep one of the two.");
  }
}

}  // namespace

const Rule document_duplicate_key{
    .id = "document/duplicate-key",
    .severity = Severity::warn,
    .title = "a key is written twice in one mapping",
    .why =
        "kubectl takes the last of the two and says nothing: what the first one asked for is lost. kustomize refuses "
        "the "
        "file, other readers take the first.",
    .wrong = "nnodes: 2 and, further down, nnodes: 4",
    .right = "nnodes: 4",
    .check = check,
    .kinds = kEveryObject,
};

}  // namespace rollcall::launch::rules
