#pragma once

#include <string>
#include <vector>

#include "roll_call/roll.h"

/// What carried the job-wide collective, observed and compared, never assumed. Pure; inside of roll_call/ only.
namespace rollcall::roll_call {

/// Class of what a node's ranks used between nodes. NVLink between nodes (one NVLink domain) is nvlink.
enum class Carrier { Unknown, Rdma, Nvlink, Tcp, Other };

struct NodeTransport {
  const Pod* pod = nullptr;
  Carrier carrier = Carrier::Unknown;
  bool rdma_and_tcp = false;  ///< some ranks of the node the one, some the other
  std::string network;        ///< NCCL's name: "IB", "Libfabric"
  std::string provider;       ///< of libfabric
  std::vector<std::string> devices;
  bool nvlink = false;  ///< some ranks used NVLink
  bool gdr = false;
};
/// By node rank, of pod.job_ranks; with one node, of pod.node_ranks.
std::vector<NodeTransport> transports(const Roll& roll);

/// Mixed, or not what the pod asks for. Warnings alone where the environment is only part of the trainer's.
std::vector<api::NodeFinding> judge_transport(const Roll& roll);
/// "rdma via EFA, provider efa, 32 devices"; empty when nothing is known.
std::string transport_remark(const Roll& roll);

}  // namespace rollcall::roll_call
