#pragma once

#include <string>
#include <vector>

#include "doubles/nccl/bootstrap.h"

/// What the double says it sends over. The bytes go over TCP whatever it says.
namespace rollcall::doubles {

struct Network {
  std::string name;    ///< "IB", "Socket", "AWS Libfabric"
  std::string suffix;  ///< "/GDRDMA" when GPU memory is read by the NIC
};

/// Chooses by scenario, NCCL_NET, NCCL_IB_DISABLE and `asked` (config.netName), and logs as NCCL does.
Result choose_network(int device, int rank, const std::string& asked, Network& network);
/// The lines about the communicator and its channels.
void log_topology(const Network& network, const std::vector<PeerInfo>& peers, int rank);
/// Bus bandwidth, GB/s, and latency, seconds, of the ring's slowest part, as this rank sees its link to the next one.
struct Speed {
  double bus_gbytes = 0;
  double latency = 0;
};
Speed link_speed(const Network& network, const std::vector<PeerInfo>& peers, int rank);

}  // namespace rollcall::doubles
