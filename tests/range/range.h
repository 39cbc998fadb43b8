#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "probe/support/process.h"
#include "range/desk.h"
#include "range/network.h"

namespace rollcall::range {

/// One roll call: a network, a desk, and the real rollcall-probe in every node.
class Range {
 public:
  struct Options {
    std::function<void(api::RollCallSpec&)> spec = {};
    double speed = 1;
    std::function<void(Range&, int node, const roll_call::Instruction&)> on_order = {};
    /// Set over what every probe has.
    std::function<std::map<std::string, std::string>(int node)> environment = {};
  };

  Range(int nodes, Options options);
  ~Range();

  Network& network() { return network_; }
  int nodes() const { return network_.nodes(); }
  RangeDesk& desk() { return *desk_; }

  void start_probes();
  /// Leads until the roll call is held or has a verdict, handing the address to every pod as the operator does; false
  /// when neither came within `limit`, or a probe ended before.
  bool run(std::chrono::milliseconds limit);
  /// Does `act` unless that was done before; from any thread, and no other goes on meanwhile.
  void once(const std::function<void(Range&)>& act);
  /// After a release: true when every probe ended with 0 within `limit`.
  bool all_left(std::chrono::milliseconds limit);
  /// Where the node's /dev/shm is seen from outside.
  std::string shared_memory(int node) const;
  /// The log of a node's probe.
  std::string log(int node) const;

 private:
  struct Pod {
    probe::testing::TemporaryDirectory files;
    std::unique_ptr<probe::testing::Process> process;
  };
  const Options options_;
  Network network_;
  std::unique_ptr<RangeDesk> desk_;
  std::vector<std::unique_ptr<Pod>> pods_;
  bool address_shown_ = false;
  std::once_flag once_;
};

}  // namespace rollcall::range
