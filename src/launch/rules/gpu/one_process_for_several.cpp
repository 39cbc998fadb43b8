#include <algorithm>
#include <array>
#include <string>

#include "launch/rules/gpu/family.h"

namespace rollcall::launch::rules {
namespace {

/// Words of a command that say that the program spreads over the devices by itself.
constexpr std::array kWords{"device",   "gpu",   "tensor",   "tp",  "parallel", "spawn", "lightning", "nemo",
                            "trainer.", "nproc", "num_proc", " -m", "ray",      "serve", "vllm",      "sglang"};

bool starts_by_itself(const Role& role) {
  for (const char* list : {"command", "args"}) {
    for (std::size_t i = 0; i < role.container[list].size(); ++i) {
      const std::string text = role.container[list][i].text();
      if (text == "-m" || text == "-c") return true;
      if (std::any_of(kWords.begin(), kWords.end(),
                      [&text](const char* word) { return text.find(word) != std::string::npos; }))
        return true;
    }
  }
  return role.container["envFrom"].present();
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const auto& launcher = role.command.launcher;
    if (!launcher.known() || *launcher != "none" || !role.gpus_per_pod.known() || *role.gpus_per_pod < 2) continue;
    if (!role.told.node_rank.given() || !role.told.master.given() || role.processes_per_node.known()) continue;
    if (role.gpu_resource == "google.com/tpu" || starts_by_itself(role)) continue;
    judgement.add(gpu_one_process_for_several, launcher.path())
        .wrong("`{}` starts one process in a pod of {} {}.", role.command.program, *role.gpus_per_pod,
               role.gpu_resource)
        .instead("Start it by torchrun --nproc-per-node={}, or ask for one GPU.", *role.gpus_per_pod);
  }
}

}  // namespace

const Rule gpu_one_process_for_several{
    .id = "gpu/one-process-for-several",
    .severity = Severity::warn,
    .title = "one process in a pod of several GPUs",
    .why =
        "Without a launcher one process runs in each pod, and the rank and world size that the controller gives are "
        "counted in pods. Unless the program starts further processes by itself, all GPUs but the first are reserved "
        "and idle.",
    .wrong = "command: [python, train.py] with nvidia.com/gpu: 8 in a PyTorchJob",
    .right = "command: [torchrun, train.py]",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
