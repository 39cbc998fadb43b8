#include "launch/rules/host_network/neighbours.h"

namespace rollcall::launch::rules {

bool may_not_share_a_node(const Launch& launch, const Role& role) {
  if (role.gpus_per_pod.known() && *role.gpus_per_pod >= 8) return true;
  const Field terms =
      role.pod_template["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (terms[i]["topologyKey"].text() == "kubernetes.io/hostname") return true;
  // Google's TPU pods take a node each, and JobSet can ask for that of any.
  const Field annotations = launch.root["metadata"]["annotations"];
  return role.gpu_resource == "google.com/tpu" ||
         annotations["alpha.jobset.sigs.k8s.io/exclusive-topology"].text() == "kubernetes.io/hostname";
}

bool kept_apart_by_port(const Launch& launch, const Role& role, long long port) {
  // The training operator lists its default port by itself.
  if (launch.kind == JobKind::pytorch_job && port == 23456) return true;
  const Field ports = role.container["ports"];
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const Field number = ports[i]["containerPort"];
    if (number.is_integer() && number.json().get<long long>() == port) return true;
  }
  return false;
}

}  // namespace rollcall::launch::rules
