#include <array>
#include <string_view>

#include "launch/rules/nccl_env/family.h"
#include "launch/rules/nccl_env/settings.h"

namespace rollcall::launch::rules {
namespace {

/// What ranks of one communicator must agree on: each works out the same plan from its own settings.
constexpr std::array<std::string_view, 16> kAlike{
    "NCCL_ALGO",         "NCCL_PROTO",         "NCCL_NET",           "NCCL_NET_PLUGIN",    "NCCL_IB_DISABLE",
    "NCCL_BUFFSIZE",     "NCCL_CROSS_NIC",     "NCCL_P2P_DISABLE",   "NCCL_P2P_LEVEL",     "NCCL_NVLS_ENABLE",
    "NCCL_CUMEM_ENABLE", "NCCL_MAX_NCHANNELS", "NCCL_MIN_NCHANNELS", "NCCL_SOCKET_FAMILY", "NCCL_RUNTIME_CONNECT",
    "NCCL_PXN_DISABLE"};

/// Whether ranks run in the pods of this role for certain.
bool has_ranks(const Launch& launch, const Role& role) {
  const bool world =
      launch.kind == JobKind::pytorch_job || launch.kind == JobKind::leader_worker_set || role.told.nodes.known();
  return world && role.gpus_per_pod.known() && *role.gpus_per_pod > 0 && !role.container["envFrom"].present();
}

void check(const Launch& launch, Judgement& judgement) {
  if (launch.kind == JobKind::mpi_job) return;  // one mpirun tells all ranks
  const Role* first = nullptr;
  for (const Role& role : launch.roles) {
    if (!has_ranks(launch, role)) continue;
    if (first == nullptr) {
      first = &role;
      continue;
    }
    const auto one = settings_of(launch, *first), other = settings_of(launch, role);
    for (const std::string_view name : kAlike) {
      const Setting* a = find(one, name);
      const Setting* b = find(other, name);
      if (a == nullptr || b == nullptr || !a->known() || !b->known() || a->value.text == b->value.text) continue;
      judgement.add(nccl_env_differs_between_roles, b->path)
          .wrong("{} is `{}` in {} and `{}` in {}.", name, b->value.text, role.name, a->value.text, first->name)
          .instead("Write the same value in both.");
    }
  }
}

}  // namespace

const Rule nccl_env_differs_between_roles{
    .id = "nccl-env/differs-between-roles",
    .severity = Severity::warn,
    .title = "a setting of NCCL that differs between the pods of one job",
    .why =
        "Each rank works out algorithm, protocol and channels by itself and takes for granted that all others came to "
        "the same. Where one setting differs, two ranks wait for each other in different places.",
    .wrong = "NCCL_ALGO: Ring in the Master, Tree in the Worker",
    .right = "NCCL_ALGO: Ring in both",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
