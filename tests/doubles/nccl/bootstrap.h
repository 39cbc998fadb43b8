#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "doubles/nccl/sockets.h"

/// NCCL's bootstrap (src/bootstrap.cc) with real connections: every rank tells the root of two listeners, the root
/// connects back and tells it its next rank, the ranks form a ring. Where versions differ, messages have other sizes,
/// as theirs do.
namespace rollcall::doubles {

/// ncclUniqueId: magic, then the root's address, the rest zero.
struct UniqueId {
  std::array<unsigned char, 128> bytes{};
};

/// An address in 28 bytes, as in a union ncclSocketAddress.
struct WireAddress {
  std::array<unsigned char, sizeof(sockaddr_in6)> bytes{};
  static WireAddress of(const Address& address);
  Address address() const;
};

/// Starts the root's thread, which lives until the process ends, and fills the id. NCCL_COMM_ID: only the id.
Result make_unique_id(UniqueId& id);

/// What ranks tell each other once the ring stands.
struct PeerInfo {
  int version = 0;
  int device = -1;
  std::uint64_t host_hash = 0;
  std::array<char, 64> node{};
  std::array<char, 48> uuid{};
  std::array<char, 24> pci{};
  WireAddress data;  ///< where the rank takes the ring of collectives
};

struct Ring {
  int rank = 0, nranks = 0;
  std::uint64_t magic = 0;
  Socket next, prev;
};

/// Blocks until the ring stands, for ever when a rank does not come.
Result join_ring(const UniqueId& id, int rank, int nranks, const Stop& stop, Ring& ring);
/// `peers[rank]` is ours; the others are filled.
Result gather(Ring& ring, std::vector<PeerInfo>& peers, const Stop& stop);
/// The interface's address, port 0; the words of a fault are in the log.
Result own_address(Address& address);

int version_code();

}  // namespace rollcall::doubles
