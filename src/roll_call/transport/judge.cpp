#include "roll_call/gpu/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "roll_call/compare.h"
#include "roll_call/limits.h"
#include "roll_call/said.h"
#include "roll_call/transport/transport.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

/// Settings that turn RDMA off by themselves, as they are set on the node.
std::string switched_off_by(const Pod& pod) {
  if (!pod.facts) return "";
  for (const auto& [name, value] : {std::pair{"NCCL_IB_DISABLE", "1"}, std::pair{"NCCL_NET", "Socket"}}) {
    const auto found = pod.facts->env.find(name);
    if (found != pod.facts->env.end() && found->second == value) return fmt::format("; {}={} is set", name, value);
  }
  return "";
}

std::string tcp_words(const NodeTransport& each) {
  if (!each.provider.empty())
    return fmt::format("tcp, for libfabric's provider is {} ({})", each.provider, each.network);
  return fmt::format("tcp{}{}", each.network.empty() ? "" : " via " + each.network, switched_off_by(*each.pod));
}

class Rules {
 public:
  explicit Rules(const Roll& roll)
      : roll_(roll), nodes_(transports(roll)), severity_(partial_environment(roll).empty() ? "fail" : "warn") {}

  /// Ranks that speak RDMA and ranks that speak TCP are in one job: whoever speaks TCP sets the pace, and some NCCL
  /// versions wait for ever.
  bool mixed() {
    std::vector<Said> tcp;
    std::size_t rdma = 0;
    for (const NodeTransport& each : nodes_) {
      if (each.carrier == Carrier::Rdma && !each.rdma_and_tcp) ++rdma;
      if (each.rdma_and_tcp) {
        tcp.push_back({each.pod, "some ranks use rdma, some tcp"});
        ++rdma;
      } else if (each.carrier == Carrier::Tcp) {
        tcp.push_back({each.pod, tcp_words(each)});
      }
    }
    if (tcp.empty() || rdma == 0) return false;
    findings.push_back(finding_of("transport/mixed", severity_, "node", tcp,
                                  fmt::format("{} of {} nodes use rdma. Look at the RDMA devices, the plugin and the "
                                              "provider on those named, and compare their environment with the others'",
                                              rdma, roll_.nnodes())));
    return true;
  }

  void not_what_was_asked() {
    const std::string& asked = roll_.spec.rdma_resource;
    if (asked.empty()) return;
    std::vector<Said> tcp;
    for (const NodeTransport& each : nodes_) {
      if (each.carrier == Carrier::Tcp) tcp.push_back({each.pod, tcp_words(each)});
    }
    if (tcp.empty()) return;
    const bool efa = asked.find("efa") != std::string::npos;
    findings.push_back(finding_of(
        "transport/tcp-though-rdma-asked", severity_, "job", tcp,
        fmt::format(
            "The pod asks for {}. {}", asked,
            efa ? "provider is tcp or there is none, though efa is requested: look at /opt/amazon/efa in the image, "
                  "FI_PROVIDER, hugepages, and the security group that must allow all traffic to itself"
                : "Look at libibverbs and the NCCL net plugin in the image, NCCL_IB_DISABLE, NCCL_NET and "
                  "NCCL_IB_HCA")));
  }

  /// NCCL leaves out ports that are not up, as it leaves out the storage's and other pods'. That this one is its own
  /// shows where it uses the same one on another node.
  void ports_down() {
    std::vector<Said> said;
    for (const NodeTransport& each : nodes_) {
      if (!whole_list(each)) continue;
      std::vector<std::string> down;
      for (const RdmaDevice& device : each.pod->nccl->rdma) {
        if (device.opens && !device.listed_by_nccl && !device.state.empty() && device.state != "ACTIVE" &&
            listed_elsewhere(device.name, each.pod->nccl->rdma.size()))
          down.push_back(fmt::format("{} ({}{}{})", device.name, device.state,
                                     device.physical_state.empty() ? "" : ", ", device.physical_state));
      }
      if (!down.empty()) said.push_back({each.pod, "port 1 is not up on " + listed(down)});
    }
    if (!said.empty())
      findings.push_back(finding_of("rdma/port-down", "warn", "network", said,
                                    "NCCL uses that port on other nodes and does without it there: look at cable, "
                                    "transceiver and switch port, in state INIT at the subnet manager (ibstat on the "
                                    "node)"));
  }

  void other_names() {
    differs(
        "transport/network-differs", "NCCL's network ", [](const NodeTransport& each) { return each.network; },
        "They may work together; the same image and settings on all nodes would make it sure");
    differs(
        "transport/devices-differ", "",
        [](const NodeTransport& each) {
          return each.devices.empty() ? std::string()
                                      : counted(each.devices.size(), "device listed by NCCL", "devices listed by NCCL");
        },
        "The node with the fewest sets the pace: a port that is down (ibstat), or other machines");
    differs(
        "transport/gdr-differs", "",
        [](const NodeTransport& each) {
          if (each.carrier != Carrier::Rdma) return std::string();
          return std::string(each.gdr ? "GPUDirect RDMA" : "no GPUDirect RDMA");
        },
        "Without it data goes through the host's memory: look at nvidia-peermem or dma-buf there");
  }

  std::vector<api::NodeFinding> findings;

 private:
  /// NCCL's list of this node's devices was seen, and is not one that an answer's limits have cut.
  static bool whole_list(const NodeTransport& each) {
    return each.pod->nccl && each.devices.size() < limits::kLibraries &&
           std::any_of(each.pod->nccl->rdma.begin(), each.pod->nccl->rdma.end(),
                       [](const RdmaDevice& device) { return device.listed_by_nccl; });
  }

  /// On a machine of as many devices: others may number them in another way.
  bool listed_elsewhere(const std::string& name, std::size_t devices) const {
    return std::any_of(roll_.pods.begin(), roll_.pods.end(), [&](const Pod& pod) {
      return pod.nccl && pod.nccl->rdma.size() == devices &&
             std::any_of(pod.nccl->rdma.begin(), pod.nccl->rdma.end(),
                         [&](const RdmaDevice& device) { return device.name == name && device.listed_by_nccl; });
    });
  }

  void differs(const char* rule, const char* noun, std::string (*value)(const NodeTransport&), const char* advice) {
    std::map<std::string, std::vector<const Pod*>> by_value;
    for (const NodeTransport& each : nodes_) {
      if (const std::string read = value(each); !read.empty()) by_value[read].push_back(each.pod);
    }
    if (by_value.size() < 2) return;
    std::vector<Group> groups;
    for (const auto& [read, pods] : by_value) groups.push_back({read, pods});
    findings.push_back({rule, "warn", minority(std::move(groups), noun) + ". " + advice, {}, "node"});
  }

  const Roll& roll_;
  std::vector<NodeTransport> nodes_;
  const char* severity_;
};

}  // namespace

std::vector<api::NodeFinding> judge_transport(const Roll& roll) {
  Rules rules(roll);
  const bool mixed = rules.mixed();
  if (!mixed) rules.not_what_was_asked();
  rules.ports_down();
  // Whoever uses another kind of network has another name of it and other devices as well.
  if (!mixed) rules.other_names();
  return std::move(rules.findings);
}

}  // namespace rollcall::roll_call
