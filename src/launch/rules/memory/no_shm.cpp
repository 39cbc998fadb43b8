#include <nlohmann/json.hpp>
#include <string>

#include "launch/patch.h"
#include "launch/rules/memory/family.h"
#include "launch/rules/memory/shm.h"

namespace rollcall::launch::rules {
namespace {

bool mentions_shm(const Field& container) {
  for (const char* list : {"command", "args"}) {
    for (std::size_t i = 0; i < container[list].size(); ++i)
      if (container[list][i].text().find("/dev/shm") != std::string::npos) return true;
  }
  return false;
}

/// Processes of one pod that share its GPUs, for certain more than one.
bool has_several_processes(const Launch& launch, const Role& role) {
  if (role.processes_per_node.known() && *role.processes_per_node > 1) return true;
  const Field slots = launch.root["spec"]["slotsPerWorker"];
  return launch.kind == JobKind::mpi_job && !role.leads && slots.is_integer() && slots.json().get<long long>() > 1;
}

std::string volume_patch(const Role& role) {
  // Without a memory limit the volume has no bound either: how much it may take is not ours to say.
  if (!role.container["resources"]["limits"]["memory"].present()) return {};
  // A volume of this name may be something else, and a template that a List or an anchor shares is patched once.
  const Field volumes = role.pod_template["spec"]["volumes"];
  for (std::size_t i = 0; i < volumes.size(); ++i)
    if (volumes[i]["name"].text() == "shm") return {};
  return append_patch({{volumes, {{"name", "shm"}, {"emptyDir", {{"medium", "Memory"}}}}},
                       {role.container["volumeMounts"], {{"name", "shm"}, {"mountPath", "/dev/shm"}}}});
}

/// NCCL and RCCL pass data between processes by shared memory; what other devices' libraries do is not known here.
bool has_gpus(const Role& role) {
  return role.gpu_resource.starts_with("nvidia.com/") || role.gpu_resource.starts_with("amd.com/");
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    if (!role.gpus_per_pod.known() || *role.gpus_per_pod < 2 || !has_gpus(role) || !has_several_processes(launch, role))
      continue;
    if (!role.pod_template.present() || !role.container.present() || has_shm(role) || mentions_shm(role.container))
      continue;
    judgement.add(memory_no_shm, role.container["volumeMounts"].path())
        .wrong("the processes of {} GPUs share the 64 MiB of /dev/shm that a container has without a volume there.",
               *role.gpus_per_pod)
        .instead(
            "Mount an emptyDir with medium: Memory at /dev/shm; what is used of it counts against the container's "
            "memory limit.")
        .patch(volume_patch(role));
  }
}

}  // namespace

const Rule memory_no_shm{
    .id = "memory/no-shm",
    .severity = Severity::warn,
    .title = "several processes with GPUs and no volume at /dev/shm",
    .why =
        "Data loaders and NCCL pass tensors between the processes of a node through /dev/shm. A container has 64 MiB "
        "there. Who finds no room dies of a bus error, and the ranks of the other nodes wait.",
    .wrong = "nvidia.com/gpu: 8 without a volume at /dev/shm",
    .right = "the same with emptyDir {medium: Memory} at /dev/shm",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
