#include "launch/rules/memory/family.h"

namespace rollcall::launch::rules {
namespace {

/// The first resource of huge pages among `names`; absent when there is none.
Field huge_pages(const Field& names) {
  if (!names.is_object()) return {};
  for (const auto& [name, quantity] : names.json().items())
    if (name.starts_with("hugepages-")) return names[name];
  return {};
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Field limits = role.container["resources"]["limits"], requests = role.container["resources"]["requests"];
    const Field pages = huge_pages(limits).present() ? huge_pages(limits) : huge_pages(requests);
    const bool others = limits["cpu"].present() || limits["memory"].present() || requests["cpu"].present() ||
                        requests["memory"].present() || role.pod_template["spec"]["resources"].present();
    if (!pages.present() || others) continue;
    judgement.add(memory_huge_pages_alone, pages.path())
        .wrong("huge pages are asked for without cpu or memory, which the API server refuses in a pod.")
        .instead("Add memory or cpu to limits.");
  }
}

}  // namespace

const Rule memory_huge_pages_alone{
    .id = "memory/huge-pages-alone",
    .severity = Severity::warn,
    .title = "huge pages without cpu or memory",
    .why =
        "Kubernetes takes huge pages only beside a request for cpu or memory. The job is stored, and each of its pods "
        "is refused when the controller makes it, unless a LimitRange of the namespace adds the missing one.",
    .wrong = "limits: {hugepages-2Mi: 5Gi, nvidia.com/gpu: 8}",
    .right = "limits: {hugepages-2Mi: 5Gi, memory: 64Gi, nvidia.com/gpu: 8}",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
