#include <algorithm>
#include <array>
#include <string>

#include "launch/patch.h"
#include "launch/rules/registry.h"
#include "launch/rules/suppression/family.h"

namespace rollcall::launch::rules {
namespace {

/// Rules whose finding can hang on what stands beside the object, and families of such: that they find nothing with
/// what is known here proves nothing. A test holds the list against the sources.
constexpr std::array<std::string_view, 7> kLookBeside{
    "mesh/", "pods/", "trainer/", "rendezvous/", "launcher/", "torchrun/nnodes-against-spec", "suppression/",
};

bool looks_beside(const std::string& id) {
  return std::any_of(kLookBeside.begin(), kLookBeside.end(),
                     [&id](std::string_view one) { return one.ends_with("/") ? id.starts_with(one) : id == one; });
}

template <typename T>
bool settled(const Fact<T>& fact) {
  return fact.known() || !fact.given();
}

/// Whether the manifest decides what its processes run with: where something shows only at run time, or in an object
/// that is not here, a rule that finds nothing may have had nothing to look at.
bool settled(const Launch& launch) {
  return !launch.roles.empty() && std::all_of(launch.roles.begin(), launch.roles.end(), [](const Role& role) {
    return role.trainer.known() && role.command.launcher.known() && settled(role.nodes) &&
           settled(role.processes_per_node) && settled(role.gpus_per_pod) && settled(role.pods) &&
           settled(role.told.nodes) && settled(role.told.port);
  });
}

/// The annotation without this line, or without the annotation where it is the only one.
std::string without(const Launch& launch, const Ignored& line) {
  std::string text;
  for (const Ignored& other : launch.ignored) {
    if (&other == &line) continue;
    text += (text.empty() ? "" : "\n") + other.rule + (other.reason.empty() ? "" : ": " + other.reason);
  }
  return text.empty() ? remove_patch(line.path) : replace_patch(line.path, text);
}

void check(const Launch& launch, Judgement& judgement) {
  if (launch.ignored.empty() || !settled(launch)) return;
  for (const Ignored& ignored : launch.ignored) {
    if (ignored.reason.empty() || find_rule(ignored.rule) == nullptr) continue;  // told already
    if (judgement.found(ignored.rule) || looks_beside(ignored.rule)) continue;
    judgement.add(suppression_of_nothing, ignored.path)
        .wrong("`{}` is to be passed over, but it finds nothing here.", ignored.rule)
        .instead("Take the line out, so that it does not hide what somebody writes next.")
        .patch(without(launch, ignored));
  }
}

}  // namespace

const Rule suppression_of_nothing{
    .id = "suppression/of-nothing",
    .severity = Severity::warn,
    .title = "a rule is to be passed over that finds nothing",
    .why =
        "What it was written for is mended, or never was. Left standing it hides the same fault when somebody writes "
        "it "
        "again, with a reason that was given for another manifest.",
    .wrong = "rollcall.dev/ignore: 'gpu/fewer-processes-than-gpus: …' with as many processes as GPUs",
    .right = "no such line",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
