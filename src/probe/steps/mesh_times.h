#pragma once

#include <map>
#include <vector>

#include "probe/exchange/client.h"
#include "roll_call/messages.h"

/// What a path is like, beside whether it works: the least round trip that TCP measured (PeerTime::milliseconds), which
/// does not grow with the load of the node as the time of an exchange does, and segments that had to be sent again.
namespace rollcall::probe {

/// One large exchange each way: 1,450 segments of the usual size, so that 0.5 % of loss are seven of them.
inline constexpr std::size_t kMeshLargeBytes = 2 * 1024 * 1024;
/// Jobs of up to so many nodes measure every pair so; of a larger one only the pairs that look odd after 64 KiB: 512
/// nodes would move 1 TB else.
inline constexpr std::size_t kMeasureAllNodes = 8;
/// Pairs of a larger job that one node measures, the oddest first: 64 MB, half a second at 1 Gbit/s.
inline constexpr std::size_t kMeasuredPeers = 16;
/// The second pass is for the pairs whose first one lost something: once may be chance.
inline constexpr int kLargePasses = 2;

class PeerTimes {
 public:
  explicit PeerTimes(const std::vector<roll_call::Peer>& peers);

  void add(int node_rank, const ExchangeResult& result);
  /// Of a large exchange. One that connected and then did not end within its deadline is kept with what it moved.
  void add_large(int node_rank, const ExchangeResult& result);

  /// Peers to make a large exchange with now, in the order of the mesh; only those whose edge is sound in `state`.
  std::vector<ExchangeTarget> to_measure(const roll_call::MeshState& state, int pass) const;

  /// Peers that were reached; above kMaxPeerTimes those that lost something, then those furthest away.
  std::vector<roll_call::PeerTime> told() const;

 private:
  struct Line {
    roll_call::Peer peer;
    bool reached = false;
    bool measured = false;  // by a large exchange: bytes and retransmits are of that one
    bool stalled = false;   // a large exchange did not end
    roll_call::PeerTime time;
  };
  double median_round_trip() const;
  std::vector<Line> lines_;
  std::map<int, std::size_t> line_of_;  // node rank → line
};

}  // namespace rollcall::probe
