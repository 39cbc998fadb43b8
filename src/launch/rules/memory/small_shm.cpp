#include <string>

#include "launch/kinds/shape.h"
#include "launch/rules/memory/family.h"

namespace rollcall::launch::rules {
namespace {

/// Whether a quantity is at most 64 MiB, in the ways people write it.
bool is_small(const std::string& text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  const auto number = whole_number(std::string_view(text).substr(0, end));
  if (!number) return false;
  const std::string unit = end == std::string::npos ? "" : text.substr(end);
  if (unit == "Mi") return *number <= 64;
  if (unit == "M") return *number <= 67;
  if (unit == "Ki") return *number <= 65536;
  return unit.empty() && *number <= 67108864;
}

/// The name of the volume that the container has at /dev/shm.
std::string shm_of(const Field& container) {
  const Field mounts = container["volumeMounts"];
  for (std::size_t i = 0; i < mounts.size(); ++i)
    if (mounts[i]["mountPath"].text() == "/dev/shm") return mounts[i]["name"].text();
  return {};
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    if (!role.gpus_per_pod.known() || *role.gpus_per_pod < 2) continue;
    const std::string name = shm_of(role.container);
    const Field volumes = role.pod_template["spec"]["volumes"];
    for (std::size_t i = 0; i < volumes.size(); ++i) {
      const Field limit = volumes[i]["emptyDir"]["sizeLimit"];
      if (name.empty() || volumes[i]["name"].text() != name || !is_small(limit.text())) continue;
      judgement.add(memory_small_shm, limit.path())
          .wrong("/dev/shm has {} for the processes of {} GPUs, no more than without the volume.", limit.text(),
                 *role.gpus_per_pod)
          .instead("Write some GiB, which count against the container's memory limit when they are used.");
    }
  }
}

}  // namespace

const Rule memory_small_shm{
    .id = "memory/small-shm",
    .severity = Severity::warn,
    .title = "a /dev/shm no larger than the container's own",
    .why =
        "NCCL and data loaders move tensors through /dev/shm. At 64 MiB, what a container has without any volume, the "
        "first of several processes that does not find room dies of a bus error.",
    .wrong = "/dev/shm: emptyDir {medium: Memory, sizeLimit: 64Mi}",
    .right = "/dev/shm: emptyDir {medium: Memory, sizeLimit: 16Gi}",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
