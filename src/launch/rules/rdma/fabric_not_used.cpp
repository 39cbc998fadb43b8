#include "launch/rules/nccl_env/settings.h"
#include "launch/rules/rdma/devices.h"
#include "launch/rules/rdma/family.h"

namespace rollcall::launch::rules {
namespace {

/// The setting that keeps NCCL from a device of this resource; nullptr when there is none.
const Setting* keeps_from(const std::vector<Setting>& settings, const std::string& resource) {
  const Setting* net = find(settings, "NCCL_NET");
  if (net != nullptr && net->known() && net->value.text == "Socket") return net;
  const Setting* provider = find(settings, "FI_PROVIDER");
  if (!is_efa(resource) || provider == nullptr || !provider->known()) return nullptr;
  return provider->value.text == "tcp" || provider->value.text == "sockets" ? provider : nullptr;
}

void check(const Launch& launch, Judgement& judgement) {
  std::string resource;
  for (const Role& role : launch.roles)
    if (resource.empty()) resource = rdma_resource(role);
  if (resource.empty()) return;
  for (const Role& role : launch.roles) {
    const auto settings = settings_of(launch, role);
    const Setting* setting = keeps_from(settings, resource);
    if (setting == nullptr) continue;
    judgement.add(rdma_fabric_not_used, setting->path)
        .wrong("the pods ask for {}, and {} `{}` keeps NCCL from it.", resource, setting->name, setting->value.text)
        .instead("Take it out.")
        .patch(without(*setting));
  }
}

}  // namespace

const Rule rdma_fabric_not_used{
    .id = "rdma/fabric-not-used",
    .severity = Severity::warn,
    .title = "RDMA devices that NCCL is told not to use",
    .why =
        "The pod holds the adapters, so no other pod can have them, and NCCL is told to go over TCP. Between nodes the "
        "job runs at a tenth of the speed or less.",
    .wrong = "NCCL_NET: Socket with rdma/ib: 8",
    .right = "rdma/ib: 8 without NCCL_NET",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
