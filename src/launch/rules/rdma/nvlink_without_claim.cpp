#include "launch/rules/rdma/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Field claims = role.pod_template["spec"]["resourceClaims"];
    const Field privileged = role.container["securityContext"]["privileged"];
    if (claims.present() || (privileged.is_bool() && privileged.json().get<bool>())) continue;
    for (const EnvEntry& entry : role.env) {
      if (entry.name != "NCCL_MNNVL_ENABLE" || !entry.value.known() || entry.value.text != "1") continue;
      judgement.add(rdma_nvlink_without_claim, claims.path())
          .wrong("NCCL_MNNVL_ENABLE is 1, but the pods claim no compute domain.")
          .instead("Claim one by resourceClaims, or take NCCL_MNNVL_ENABLE out.");
    }
  }
}

}  // namespace

const Rule rdma_nvlink_without_claim{
    .id = "rdma/nvlink-without-claim",
    .severity = Severity::warn,
    .title = "NVLink across nodes without a compute domain",
    .why =
        "NCCL_MNNVL_ENABLE forces NVLink between nodes, which needs an IMEX channel in the pod. Without a claim of a "
        "compute domain there is none, and the set-up of the communicator fails.",
    .wrong = "NCCL_MNNVL_ENABLE: \"1\" without resourceClaims",
    .right = "the same with a claim of a compute domain",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
