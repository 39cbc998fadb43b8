#include "launch/rules/rdma/family.h"

namespace rollcall::launch::rules {
namespace {

bool adds_lock(const Field& context) {
  const Field added = context["capabilities"]["add"];
  for (std::size_t i = 0; i < added.size(); ++i)
    if (added[i].text() == "IPC_LOCK" || added[i].text() == "CAP_IPC_LOCK") return true;
  return false;
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Field context = role.container["securityContext"];
    const Field own = context["runAsUser"];
    const Field user = own.present() ? own : role.pod_template["spec"]["securityContext"]["runAsUser"];
    if (!user.is_integer() || user.json().get<long long>() == 0 || !adds_lock(context)) continue;
    const Field privileged = context["privileged"];
    if (privileged.is_bool() && privileged.json().get<bool>()) continue;
    judgement.add(rdma_locked_memory_without_root, context.path())
        .wrong("IPC_LOCK is added, but user {} does not get it.", user.json().dump())
        .instead("Run as root, or raise the memlock limit of the container runtime on the nodes.");
  }
}

}  // namespace

const Rule rdma_locked_memory_without_root{
    .id = "rdma/locked-memory-without-root",
    .severity = Severity::warn,
    .title = "IPC_LOCK for a process that is not root",
    .why =
        "A capability that is added to the container is not effective for a process that does not start as root. The "
        "limit on locked memory stays as it is, mostly 8 MiB or less, and registering memory for RDMA fails.",
    .wrong = "runAsUser: 1000 with capabilities: {add: [IPC_LOCK]}",
    .right = "runAsUser: 0 with capabilities: {add: [IPC_LOCK]}",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
