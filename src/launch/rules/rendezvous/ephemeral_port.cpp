#include <string>

#include "launch/patch.h"
#include "launch/rules/rendezvous/family.h"
#include "launch/rules/world/several.h"

namespace rollcall::launch::rules {
namespace {

/// Linux's net.ipv4.ip_local_port_range where nobody changed it.
constexpr long long kFirst = 32768;
constexpr long long kLast = 60999;

/// Whether the pod keeps some ports from outgoing connections by itself; which ones is not weighed.
bool reserves_ports(const Role& role) {
  const Field settings = role.pod_template["spec"]["securityContext"]["sysctls"];
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const std::string name = settings[i]["name"].text();
    if (name == "net.ipv4.ip_local_reserved_ports" || name == "net.ipv4.ip_local_port_range") return true;
  }
  return false;
}

/// A patch that reserves the port in the pod's own network. A pod on the host network must not set it.
std::string reserve(const Role& role, long long port) {
  const Field context = role.pod_template["spec"]["securityContext"];
  if (role.host_network || context["sysctls"].present()) return {};
  const nlohmann::json setting = {{"name", "net.ipv4.ip_local_reserved_ports"}, {"value", std::to_string(port)}};
  const nlohmann::json settings = nlohmann::json::array({setting});
  if (context.is_object()) return add_patch(context["sysctls"].path(), settings);
  return add_patch(context.path(), {{"sysctls", settings}});
}

void check_others(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Fact<long long>& port = role.told.port;
    if (!port.known() || *port < kFirst || *port > kLast || !several(role) || reserves_ports(role)) continue;
    judgement.add(rendezvous_ephemeral_port, port.path())
        .wrong("{} is one of the ports of outgoing connections, {} to {}, and may be taken.", *port, kFirst, kLast)
        .instead(
            "Write a port from 1024 to 32767, or the sysctl net.ipv4.ip_local_reserved_ports: \"{}\" in the pods' "
            "securityContext.",
            *port)
        .patch(reserve(role, *port));
  }
}

void check(const Launch& launch, Judgement& judgement) {
  if (launch.kind != JobKind::training_job) return check_others(launch, judgement);
  for (const Port& port : launch.ports) {
    if (!port.number.known() || port.left_out || *port.number < kFirst || *port.number > kLast) continue;
    judgement.add(rendezvous_ephemeral_port, port.number.path())
        .wrong("{}{} is one of the ports of outgoing connections, {} to {}, and may be taken.", port.what, *port.number,
               kFirst, kLast)
        .instead("Write a port from 1024 to 32767, or leave it out for 29500.");
  }
}

}  // namespace

const Rule rendezvous_ephemeral_port{
    .id = "rendezvous/ephemeral-port",
    .severity = Severity::warn,
    .title = "a rendezvous port that outgoing connections use",
    .why =
        "Linux gives 32768 to 60999 to outgoing connections. Some other process of the node, on the host network of "
        "any pod, may have the port when the job wants to listen on it.",
    .wrong = "port: 40000",
    .right = "port: 29500",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
