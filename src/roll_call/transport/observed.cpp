#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "roll_call/transport/transport.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

bool is_libfabric(const std::string& network) { return network.find("ibfabric") != std::string::npos; }

/// libfabric's name stays when its provider falls back to sockets: only the provider line tells.
std::string transport_of(const RankResult& rank) {
  if (is_libfabric(rank.network) && (rank.provider == "tcp" || rank.provider == "sockets")) return "tcp";
  return rank.transport;
}

NodeTransport transport_of(const Pod& pod, const std::vector<RankResult>& ranks) {
  NodeTransport out;
  out.pod = &pod;
  bool rdma = false;
  bool tcp = false;
  bool other = false;
  std::set<std::string> devices;
  for (const RankResult& rank : ranks) {
    const std::string transport = transport_of(rank);
    rdma = rdma || transport == "rdma";
    tcp = tcp || transport == "tcp";
    other = other || transport == "other";
    out.nvlink = out.nvlink || transport == "nvlink";
    out.gdr = out.gdr || rank.gdr;
    // Ranks in the middle of a node's ring have no line of their own about the network.
    if (out.network.empty()) out.network = rank.network;
    if (out.provider.empty()) out.provider = rank.provider;
    devices.insert(rank.devices.begin(), rank.devices.end());
  }
  out.devices.assign(devices.begin(), devices.end());
  out.rdma_and_tcp = rdma && tcp;
  out.carrier = rdma         ? Carrier::Rdma
                : tcp        ? Carrier::Tcp
                : other      ? Carrier::Other
                : out.nvlink ? Carrier::Nvlink
                             : Carrier::Unknown;
  return out;
}

std::string name_of(const NodeTransport& each) {
  if (is_libfabric(each.network)) return each.provider == "efa" ? "EFA" : each.network;
  return each.network;
}

std::string words_of(const NodeTransport& each) {
  const char* carrier = each.carrier == Carrier::Rdma     ? "rdma"
                        : each.carrier == Carrier::Tcp    ? "tcp"
                        : each.carrier == Carrier::Nvlink ? "nvlink"
                                                          : "other";
  std::string out = carrier;
  if (each.carrier == Carrier::Nvlink) return out;
  // NVLink between nodes shows by the clique of the fabric that GPUs of several nodes are in.
  if (!name_of(each).empty()) out += " via " + name_of(each);
  if (!each.provider.empty()) out += ", provider " + each.provider;
  if (!each.devices.empty())
    out += each.devices.size() == 1 ? ", " + each.devices.front() : fmt::format(", {} devices", each.devices.size());
  return out;
}

/// GPUs of more than one node are in one NVLink domain.
bool nvlink_between_nodes(const Roll& roll) {
  std::set<std::string> seen;
  for (const Pod& pod : roll.pods) {
    if (!pod.gpu) continue;
    std::set<std::string> here;
    for (const GpuFact& gpu : pod.gpu->gpus) {
      if (gpu.fabric == "completed" && !gpu.fabric_clique.empty()) here.insert(gpu.fabric_clique);
    }
    for (const std::string& clique : here) {
      if (!seen.insert(clique).second) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<NodeTransport> transports(const Roll& roll) {
  std::vector<NodeTransport> out;
  for (const Pod& pod : roll.pods)
    out.push_back(transport_of(pod, roll.nnodes() == 1 ? pod.node_ranks : pod.job_ranks));
  return out;
}

std::string transport_remark(const Roll& roll) {
  std::vector<std::string> kinds;
  bool nvlink = false;
  for (const NodeTransport& each : transports(roll)) {
    if (each.carrier == Carrier::Unknown) continue;
    nvlink = nvlink || each.nvlink;
    if (const std::string words = words_of(each); std::find(kinds.begin(), kinds.end(), words) == kinds.end())
      kinds.push_back(words);
  }
  std::string out = listed(kinds, 3);
  if (nvlink && !out.empty() && out != "nvlink" && nvlink_between_nodes(roll)) out = "nvlink + " + out;
  return out;
}

}  // namespace rollcall::roll_call
