#include "launch/rules/rdma/devices.h"

namespace rollcall::launch::rules {
namespace {

/// Resource names of the device plugins for RDMA: k8s-rdma-shared-dev-plugin and its kin (`rdma/…`), NVIDIA's network
/// operator, AWS.
bool is_rdma(const std::string& name) {
  return name.starts_with("rdma/") || name == "vpc.amazonaws.com/efa" || name == "nvidia.com/mlnxnics" ||
         name == "nvidia.com/hostdev" || name.starts_with("nvidia.com/rdma") || name == "aliyun/rdma" ||
         name == "volcengine.com/rdma";
}

}  // namespace

std::string rdma_resource(const Role& role) {
  for (const char* list : {"limits", "requests"}) {
    const Field names = role.container["resources"][list];
    if (!names.is_object()) continue;
    for (const auto& [name, quantity] : names.json().items())
      if (is_rdma(name) && quantity != "0" && quantity != 0) return name;
  }
  return {};
}

bool is_efa(const std::string& resource) { return resource == "vpc.amazonaws.com/efa"; }

bool is_privileged(const Role& role) {
  const Field privileged = role.container["securityContext"]["privileged"];
  return privileged.is_bool() && privileged.json().get<bool>();
}

bool other_devices(const Role& role) {
  if (role.pod_template["spec"]["resourceClaims"].present()) return true;
  const Field annotations = role.pod_template["metadata"]["annotations"];
  if (!annotations.is_object()) return false;
  for (const auto& [key, value] : annotations.json().items())
    if (key.find("device") != std::string::npos || key.find("cdi.") != std::string::npos) return true;
  return false;
}

Field infiniband_of_the_node(const Role& role) {
  const Field volumes = role.pod_template["spec"]["volumes"];
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const Field path = volumes[i]["hostPath"]["path"];
    if (path.text() == "/dev/infiniband" || path.text() == "/dev/infiniband/") return path;
  }
  return {};
}

bool adds_capability(const Role& role, const std::string& name) {
  const Field added = role.container["securityContext"]["capabilities"]["add"];
  for (std::size_t i = 0; i < added.size(); ++i) {
    const std::string one = added[i].text();
    if (one == name || one == "CAP_" + name || one == "ALL") return true;
  }
  return false;
}

}  // namespace rollcall::launch::rules
