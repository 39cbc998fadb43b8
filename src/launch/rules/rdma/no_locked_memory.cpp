#include "launch/patch.h"
#include "launch/rules/rdma/devices.h"
#include "launch/rules/rdma/family.h"

namespace rollcall::launch::rules {
namespace {

/// IPC_LOCK beside what is written already; nothing for a user to whom it would not come.
std::string adding(const Role& role) {
  const Field context = role.container["securityContext"], of_pod = role.pod_template["spec"]["securityContext"];
  for (const Field& one : {context, of_pod})
    if (one["runAsUser"].present() || one["runAsNonRoot"].present()) return {};
  const Field capabilities = context["capabilities"], add = capabilities["add"];
  const auto names = nlohmann::json::array({"IPC_LOCK"});
  if (add.is_array()) return append_patch({{add, "IPC_LOCK"}});
  if (capabilities.is_object()) return add_patch(add.path(), names);
  const nlohmann::json fresh = {{"add", names}};
  if (context.is_object()) return add_patch(capabilities.path(), fresh);
  return add_patch(context.path(), {{"capabilities", fresh}});
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const std::string resource = rdma_resource(role);
    // AWS's images for nodes lift the limit for every container.
    if (resource.empty() || is_efa(resource) || is_privileged(role) || adds_capability(role, "IPC_LOCK")) continue;
    judgement.add(rdma_no_locked_memory, role.container["securityContext"].path())
        .wrong("the pod asks for {}, and nothing lets it lock memory.", resource)
        .instead(
            "Write securityContext: {{capabilities: {{add: [IPC_LOCK]}}}}, unless the nodes' container runtime lifts "
            "the limit.")
        .patch(adding(role));
  }
}

}  // namespace

const Rule rdma_no_locked_memory{
    .id = "rdma/no-locked-memory",
    .severity = Severity::info,
    .title = "RDMA without leave to lock memory",
    .why =
        "RDMA locks the memory it reads and writes. Many container runtimes allow 64 KiB to 8 MiB of it, and then "
        "registering a buffer fails with \"Cannot allocate memory\". Some clouds lift the limit on the node.",
    .wrong = "rdma/ib: 1 without IPC_LOCK",
    .right = "rdma/ib: 1 with capabilities: {add: [IPC_LOCK]}",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
