#include <string>

#include "launch/pod/image.h"
#include "launch/rules/versions/family.h"

namespace rollcall::launch::rules {
namespace {

/// Whether the image is torch's own of the releases that have the fault, by its tag: `pytorch/pytorch:2.4.0-cuda12.4…`.
bool has_fault(const Field& image) {
  const auto read = parse_image(image.text());
  if (!image.is_string() || !read.ok()) return false;
  const std::size_t slash = read->repository.rfind('/');
  const std::string name = read->repository.substr(slash == std::string::npos ? 0 : slash + 1);
  return name == "pytorch" && read->tag.starts_with("2.4.");
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const auto& backend = role.told.rendezvous;
    if (!backend.known() || *backend != "etcd-v2" || !has_fault(role.container["image"])) continue;
    judgement.add(versions_etcd_v2_race, backend.path())
        .wrong("the rendezvous etcd-v2 ends at the start in torch 2.4, which `{}` has.", role.container["image"].text())
        .instead("Write --rdzv-backend=c10d with node rank 0 as the endpoint, or take another release of torch.");
  }
}

}  // namespace

const Rule versions_etcd_v2_race{
    .id = "versions/etcd-v2-race",
    .severity = Severity::warn,
    .title = "the etcd-v2 rendezvous with torch 2.4",
    .why =
        "torch 2.4 has one node publish the master's address through the store and the others read it. Through etcd a "
        "node may read before it is written: it ends with EtcdKeyNotFound, and the rendezvous is closed for all.",
    .wrong = "--rdzv-backend=etcd-v2 with pytorch:2.4.0",
    .right = "--rdzv-backend=c10d",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
