#include "launch/rules/rdma/devices.h"

#include "launch/kinds/rdma.h"

namespace rollcall::launch::rules {

std::string rdma_resource(const Role& role) { return launch::rdma_resource(role.container); }

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
