#include "launch/rules/nccl_env/settings.h"
#include "launch/rules/rdma/devices.h"
#include "launch/rules/rdma/family.h"

namespace rollcall::launch::rules {
namespace {

/// Whether some pod of the job has a device, or may have one.
bool may_have_device(const Launch& launch) {
  for (const Role& role : launch.roles) {
    if (!role.container.present() || is_efa(rdma_resource(role)) || is_privileged(role) || other_devices(role))
      return true;
    if (infiniband_of_the_node(role).present()) return true;
  }
  return false;
}

const Setting* asks_for_efa(const std::vector<Setting>& settings) {
  const Setting* provider = find(settings, "FI_PROVIDER");
  if (provider != nullptr) return provider->known() && provider->value.text == "efa" ? provider : nullptr;
  const Setting* rdma = find(settings, "FI_EFA_USE_DEVICE_RDMA");
  return rdma != nullptr && rdma->known() && rdma->value.text == "1" ? rdma : nullptr;
}

void check(const Launch& launch, Judgement& judgement) {
  if (!several_nodes(launch) || may_have_device(launch)) return;
  for (const Role& role : launch.roles) {
    const auto settings = settings_of(launch, role);
    const Setting* setting = asks_for_efa(settings);
    if (setting == nullptr) continue;
    judgement.add(rdma_efa_without_device, setting->path)
        .wrong("{} is `{}`, but no pod of the job asks for vpc.amazonaws.com/efa.", setting->name, setting->value.text)
        .instead(
            "Write vpc.amazonaws.com/efa into the limits of the pods that have the GPUs: as many as the instance has.");
  }
}

}  // namespace

const Rule rdma_efa_without_device{
    .id = "rdma/efa-without-device",
    .severity = Severity::warn,
    .title = "EFA asked for by the environment, not by the pod",
    .why =
        "The device plugin gives a pod only the adapters it asks for. Without one libfabric finds no efa provider, and "
        "NCCL goes on over TCP, or ends, as the plugin's release has it.",
    .wrong = "FI_PROVIDER: efa without vpc.amazonaws.com/efa",
    .right = "FI_PROVIDER: efa with vpc.amazonaws.com/efa: 32",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
