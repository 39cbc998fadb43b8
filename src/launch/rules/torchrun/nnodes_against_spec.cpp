#include <optional>
#include <string>
#include <utility>

#include "launch/kinds/shape.h"
#include "launch/rules/command_text.h"
#include "launch/rules/torchrun/family.h"
#include "launch/rules/world/whole.h"

namespace rollcall::launch::rules {
namespace {

/// `4`, or `1:4` for an elastic job; nullopt for what torchrun would not read.
std::optional<std::pair<int, int>> range_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto least = whole_number(text.substr(0, colon));
  const auto most = colon == std::string::npos ? least : whole_number(text.substr(colon + 1));
  if (!least || !most || *least < 1 || *least > *most) return std::nullopt;
  return std::pair{*least, *most};
}

/// Other kinds: the flag beats what a controller gives, so it must be the count of pods that the kind makes one world.
/// Where the kind does not say what is one world, pods of several objects may be, and only what a pod's own index
/// settles is told.
void check_others(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Flag* flag = role.command.flag("--nnodes");
    if (flag == nullptr || !role.command.by_torchrun()) continue;
    if (role.command.flag("--standalone") != nullptr || !flag->value.known() || !role.nodes.known() || *role.nodes < 1)
      continue;
    const auto range = range_of(flag->value.text);
    if (!range || (range->first <= *role.nodes && *role.nodes <= range->second)) continue;
    // A Job that would start all of them, but not at once: world/runs-in-turns.
    const Field completions = launch.root["spec"]["completions"];
    if (launch.kind == JobKind::batch_job && completions.is_integer() && completions.json() == range->first) continue;
    const bool by_index = !JobKinds{JobKind::pytorch_job, JobKind::volcano_job, JobKind::train_job}.has(launch.kind);
    if (by_index ? !is_whole_world(launch, role) : !launch.nodes_decided) continue;
    judgement.add(torchrun_nnodes_against_spec, flag->path)
        .wrong("`{}`, but the {} makes {} pods, each of which is a node.", flag->written(), launch.object.kind,
               *role.nodes)
        .instead("Write {}{}{}.", flag->spelled, flag->joint, *role.nodes)
        .patch(replace_flag_patch(role, *flag, std::to_string(*role.nodes)));
  }
}

void check(const Launch& launch, Judgement& judgement) {
  if (launch.kind == JobKind::mpi_job) return;
  if (launch.kind != JobKind::training_job) return check_others(launch, judgement);
  for (const Role& role : launch.roles) {
    const Flag* flag = role.command.flag("--nnodes");
    if (flag == nullptr || !flag->value.known() || !role.nodes.known()) continue;
    const auto range = range_of(flag->value.text);
    if (range && range->first <= *role.nodes && *role.nodes <= range->second) continue;
    auto words = judgement.add(torchrun_nnodes_against_spec, flag->path);
    if (range) {
      words.wrong("`{}`, but spec.nnodes is {}.", flag->written(), *role.nodes);
    } else {
      words.wrong("`{}` is neither a number of nodes nor a range like 1:4.", flag->written());
    }
    words.instead("Leave the flag out: the operator hands over PET_NNODES={}.", *role.nodes).patch(flag->patch);
  }
}

}  // namespace

const Rule torchrun_nnodes_against_spec{
    .id = "torchrun/nnodes-against-spec",
    .severity = Severity::deny,
    .title = "torchrun --nnodes contradicts the spec",
    .why =
        "torchrun waits for as many nodes as its flag says. With more than the job has pods it waits for ever; with "
        "fewer, the surplus pods are turned away or form a world of their own.",
    .wrong = "torchrun --nnodes=2 with nnodes: 4",
    .right = "torchrun train.py with nnodes: 4",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
