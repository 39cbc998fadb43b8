#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "launch/kinds/train_job/given.h"
#include "launch/kinds/train_job/policy.h"
#include "launch/rules/command_text.h"
#include "launch/rules/trainer/family.h"

namespace rollcall::launch::rules {
namespace {

/// Whether a text hands the backend over: `--backend nccl`, `--dist-backend=nccl`, `backend="nccl"`.
bool asks_for_nccl(const std::string& text) {
  constexpr std::string_view kName = "backend";
  for (std::size_t at = text.find(kName); at != std::string::npos; at = text.find(kName, at + 1)) {
    std::size_t value = at + kName.size();
    while (value < text.size() && std::string_view(" =\"'").find(text[value]) != std::string_view::npos) ++value;
    const std::string_view rest = std::string_view(text).substr(value);
    if (value == at + kName.size() || !rest.starts_with("nccl")) continue;
    // `nccl_or_gloo` is another word.
    if (rest.size() == 4 || std::isalnum(static_cast<unsigned char>(rest[4])) == 0)
      return rest.size() == 4 || rest[4] != '_';
  }
  return false;
}

/// Elements of command and args as one text, as far as they are written.
std::string text_of(const Field& container) {
  std::string text;
  for (const char* list : {"command", "args"})
    for (std::size_t i = 0; i < container[list].size(); ++i) text += container[list][i].text() + " ";
  return text;
}

void check(const Launch& launch, Judgement& judgement) {
  const auto framework = train_job::framework_of(train_job::policy_of(launch));
  if (framework != train_job::Framework::torch) return;
  for (const Role& role : launch.roles) {
    if (!role.container.present() || !role.gpus_per_pod.known() || *role.gpus_per_pod > 0) continue;
    if (asks_for_a_device(role.container) || role.container["securityContext"]["privileged"].present() ||
        role.container["envFrom"].present() || !asks_for_nccl(text_of(role.container)))
      continue;
    const auto& env = role.env;
    if (std::any_of(env.begin(), env.end(), [](const EnvEntry& one) { return one.name == "NVIDIA_VISIBLE_DEVICES"; }))
      continue;
    const auto& processes = role.processes_per_node;
    const std::string started =
        processes.known() ? std::to_string(*processes) + " processes a node, by its CPUs" : "processes by CPUs";
    judgement.add(trainer_nccl_without_gpus, launch.root["spec"]["trainer"]["resourcesPerNode"].path())
        .wrong("neither the TrainJob nor {} asks for a GPU, and the program asks for nccl: the controller starts {}.",
               launch.merged_from, started)
        .instead("Write nvidia.com/gpu in spec.trainer.resourcesPerNode.limits, or the backend gloo.");
  }
}

}  // namespace

const Rule trainer_nccl_without_gpus{
    .id = "trainer/nccl-without-gpus",
    .severity = Severity::warn,
    .title = "the nccl backend in pods without a GPU",
    .why =
        "Without GPUs in the TrainJob or its runtime the controller counts CPUs and starts a process for each. NCCL "
        "needs a GPU in every process: each of them ends at its first communicator.",
    .wrong = "torchrun train.py --backend nccl, and nvidia.com/gpu nowhere",
    .right = "resourcesPerNode: {limits: {nvidia.com/gpu: 8}}",
    .check = check,
    .kinds = {JobKind::train_job},
};

}  // namespace rollcall::launch::rules
