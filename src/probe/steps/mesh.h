#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "probe/exchange/client.h"
#include "probe/exchange/server.h"
#include "probe/steps/mesh_times.h"
#include "roll_call/messages.h"

namespace rollcall::probe {

/// kMeshPorts listeners on ports the kernel chooses, on all addresses, as NCCL's are.
Result<std::unique_ptr<ExchangeServer>> listen_mesh(const std::string& nonce, int node_rank);

/// Time for the whole mesh of `peers` peers: 10 s and 20 ms each (1,000 nodes: 30 s).
std::chrono::milliseconds mesh_deadline(std::size_t peers);

/// Adds the exchanges of one peer up to its edge.
class EdgeTally {
 public:
  explicit EdgeTally(const std::vector<roll_call::Peer>& peers);

  /// The order to try: the first port of every peer, then the second of every peer, … so that when time runs out every
  /// peer has been tried at least once.
  const std::vector<ExchangeTarget>& targets() const { return targets_; }
  /// How many of them are first ports.
  std::size_t first_ports() const;
  void add(std::size_t target, const ExchangeResult& result);
  /// What is known so far; `ports` is left empty.
  roll_call::MeshState state() const;

 private:
  struct Line {
    roll_call::Edge edge;
    int expected = 0;
  };
  std::vector<Line> lines_;
  std::vector<ExchangeTarget> targets_;
  std::vector<std::size_t> line_of_;  ///< target → line
};

/// Exchanges 64 KiB both ways with a port of every peer and greetings with its other ports, then kMeshLargeBytes with
/// those whose path is to be measured (PeerTimes::to_measure); blocks, for mesh_deadline() at most. `progress` hears
/// the state after each exchange. Returns the last state with `done` and its times, or not done when cancelled. What is
/// measured never makes an edge fail.
roll_call::MeshState connect_mesh(const std::vector<roll_call::Peer>& peers, const std::string& nonce, int node_rank,
                                  const Wake& cancel, const std::function<void(const roll_call::MeshState&)>& progress);

}  // namespace rollcall::probe
