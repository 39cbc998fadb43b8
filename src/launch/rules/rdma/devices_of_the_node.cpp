#include "launch/rules/rdma/devices.h"
#include "launch/rules/rdma/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Field path = infiniband_of_the_node(role);
    if (!path.present() || !is_efa(rdma_resource(role))) continue;
    judgement.add(rdma_devices_of_the_node, path.path())
        .wrong("the pod gets its EFA devices from the device plugin, and all of the node's by `{}`.", path.text())
        .instead("Take the volume out, and its mount.");
  }
}

}  // namespace

const Rule rdma_devices_of_the_node{
    .id = "rdma/devices-of-the-node",
    .severity = Severity::warn,
    .title = "the node's RDMA devices beside those of the device plugin",
    .why =
        "The plugin gives the pod some devices; the mounted folder shows all of the node's. Libraries meet devices "
        "that are not theirs, fail on them, and NCCL goes on over TCP.",
    .wrong = "vpc.amazonaws.com/efa: 4 and a hostPath of /dev/infiniband",
    .right = "vpc.amazonaws.com/efa: 4",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
