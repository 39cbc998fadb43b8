#include "child/nccl_log/networks.h"

#include <array>

namespace rollcall::child {
namespace {

enum class Match { Whole, Beginning };

struct Row {
  std::string_view name;
  Match match;
  std::string_view kind;  ///< "provider": as libfabric's provider says
};

constexpr std::array kNetworks = {
    Row{"Socket", Match::Whole, "tcp"},                  // NCCL's own
    Row{"IB", Match::Whole, "rdma"},                     // NCCL's own: InfiniBand and RoCE
    Row{"IBext", Match::Beginning, "rdma"},              // HPC-X: IBext, IBext_v6 … IBext_v8
    Row{"SHARP", Match::Whole, "rdma"},                  // HPC-X: reductions in the switch
    Row{"gIB", Match::Whole, "rdma"},                    // Google A3 Ultra, A4: RoCE
    Row{"FasTrak", Match::Whole, "rdma"},                // Google A3 Mega: GPUDirect-TCPXO, past the kernel
    Row{"GPUDirectTCPX", Match::Beginning, "rdma"},      // Google A3 High: the NIC writes to GPU memory
    Row{"FastSocket", Match::Whole, "tcp"},              // Google, older machines: more TCP connections
    Row{"AWS Libfabric", Match::Beginning, "provider"},  // aws-ofi-nccl up to 1.6 or so
    Row{"Libfabric", Match::Whole, "provider"},          // aws-ofi-nccl since
};

// libfabric's providers, `fi_info -l`.
constexpr std::array kProviders = {
    Row{"efa", Match::Beginning, "rdma"},    Row{"cxi", Match::Beginning, "rdma"},
    Row{"verbs", Match::Beginning, "rdma"},  Row{"psm", Match::Beginning, "rdma"},
    Row{"opx", Match::Beginning, "rdma"},    Row{"tcp", Match::Beginning, "tcp"},
    Row{"sockets", Match::Beginning, "tcp"}, Row{"udp", Match::Beginning, "tcp"},
};

template <typename Table>
std::string_view find(const Table& table, std::string_view name) {
  for (const auto& row : table)
    if (row.match == Match::Whole ? name == row.name : name.starts_with(row.name)) return row.kind;
  return "other";
}

}  // namespace

std::string network_class(std::string_view network, std::string_view provider) {
  const auto kind = find(kNetworks, network);
  return std::string(kind == "provider" ? find(kProviders, provider) : kind);
}

}  // namespace rollcall::child
