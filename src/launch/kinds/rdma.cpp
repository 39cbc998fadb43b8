#include "launch/kinds/rdma.h"

namespace rollcall::launch {

bool is_rdma(std::string_view resource) { return is_certainly_rdma(resource) || resource == "nvidia.com/hostdev"; }

bool is_certainly_rdma(std::string_view resource) {
  return resource.starts_with("rdma/") || resource == "vpc.amazonaws.com/efa" || resource == "nvidia.com/mlnxnics" ||
         resource.starts_with("nvidia.com/rdma") || resource == "aliyun/rdma" || resource == "volcengine.com/rdma" ||
         (resource.starts_with("openshift.io/") && resource.find("rdma") != std::string_view::npos);
}

std::string rdma_resource(const Field& container, bool (*is)(std::string_view)) {
  for (const char* list : {"limits", "requests"}) {
    const Field names = container["resources"][list];
    if (!names.is_object()) continue;
    for (const auto& [name, quantity] : names.json().items())
      if (is(name) && quantity != "0" && quantity != 0) return name;
  }
  return {};
}

}  // namespace rollcall::launch
