#include <algorithm>
#include <vector>

#include "launch/patch.h"
#include "launch/rules/gpu/family.h"
#include "launch/rules/gpu/visible.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    if (!role.gpus_per_pod.known() || *role.gpus_per_pod == 0) continue;
    // ROCR numbers what is left for the others anew.
    int devices = *role.gpus_per_pod;
    for (const char* name : {"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"}) {
      for (const EnvEntry& entry : role.env) {
        if (entry.name != name || !entry.value.known() || !reaches_launcher(role, entry)) continue;
        const auto numbers = device_numbers(entry.value.text);
        if (!numbers) continue;
        const int largest = *std::max_element(numbers->begin(), numbers->end());
        if (largest < devices) {
          if (entry.name == "ROCR_VISIBLE_DEVICES") devices = static_cast<int>(numbers->size());
          continue;
        }
        judgement.add(gpu_visible_devices_outside, entry.value_path)
            .wrong("env {}: `{}` names device {}, but {} are there, numbered from 0.", entry.name, entry.value.text,
                   largest, devices)
            .instead("Take the entry out: a container sees its own devices alone.")
            .patch(remove_patch(entry.path));
      }
    }
  }
}

}  // namespace

const Rule gpu_visible_devices_outside{
    .id = "gpu/visible-devices-outside",
    .severity = Severity::deny,
    .title = "visible devices that the container does not have",
    .why =
        "A container sees its own devices, numbered from 0, whatever numbers they have on the node. Numbers beyond "
        "them hide every device from them on: the processes find too few or none.",
    .wrong = "CUDA_VISIBLE_DEVICES: \"4,5,6,7\" with nvidia.com/gpu: 4",
    .right = "no CUDA_VISIBLE_DEVICES",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
