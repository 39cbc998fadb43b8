#include <optional>
#include <string>

#include "launch/kinds/shape.h"
#include "launch/patch.h"
#include "launch/rules/rank/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const auto& launcher = role.command.launcher;
    if (!launcher.known() || *launcher != "none" || !role.gpus_per_pod.known() || *role.gpus_per_pod < 1) continue;
    for (const EnvEntry& entry : role.env) {
      if (entry.name != "LOCAL_RANK") continue;
      const auto number = entry.value.known() ? whole_number(entry.value.text) : std::nullopt;
      const bool index = !launch.index_variable.empty() && entry.value.variable() == launch.index_variable &&
                         role.pods.known() && *role.pods > *role.gpus_per_pod;
      if (!index && (!number || *number < *role.gpus_per_pod)) continue;
      auto words = judgement.add(rank_no_such_local_rank, entry.value_path);
      if (index) {
        words.wrong("env LOCAL_RANK is the pod's index, up to {}, but each pod has {} of its own.", *role.pods - 1,
                    *role.gpus_per_pod);
      } else {
        words.wrong("env LOCAL_RANK: `{}`, but the pod has {} devices, counted from 0.", entry.value.text,
                    *role.gpus_per_pod);
      }
      words.instead("Write 0 to {}.", *role.gpus_per_pod - 1)
          .patch(*role.gpus_per_pod == 1 ? replace_patch(entry.value_path, std::string("0")) : "");
    }
  }
}

}  // namespace

const Rule rank_no_such_local_rank{
    .id = "rank/no-such-local-rank",
    .severity = Severity::warn,
    .title = "a local rank beyond the devices of the pod",
    .why =
        "The local rank is a process's place in its own pod, and programs take it for the number of their device. Pods "
        "count their devices from 0, each for itself: a number beyond them is an invalid device ordinal.",
    .wrong = "LOCAL_RANK: \"1\" with nvidia.com/gpu: 1",
    .right = "LOCAL_RANK: \"0\" with nvidia.com/gpu: 1",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
