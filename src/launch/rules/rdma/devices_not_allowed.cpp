#include "launch/rules/rdma/devices.h"
#include "launch/rules/rdma/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Field path = infiniband_of_the_node(role);
    if (!path.present() || !role.container.present()) continue;
    if (is_privileged(role) || other_devices(role) || !rdma_resource(role).empty()) continue;
    judgement.add(rdma_devices_not_allowed, path.path())
        .wrong("`{}` shows the node's devices, and the container may not open them.", path.text())
        .instead("Ask for them by the resource of the RDMA device plugin, such as rdma/ib: 1, or run privileged.");
  }
}

}  // namespace

const Rule rdma_devices_not_allowed{
    .id = "rdma/devices-not-allowed",
    .severity = Severity::warn,
    .title = "RDMA devices that are mounted and cannot be opened",
    .why =
        "A container may open the devices that a device plugin gives it, and no others: the kernel's device cgroup "
        "refuses. NCCL finds adapters it cannot open, says so in one line, and goes on over TCP.",
    .wrong = "hostPath: /dev/infiniband in a container that is not privileged",
    .right = "rdma/ib: 1",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
