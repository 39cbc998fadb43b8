#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "e2e/world.h"
#include "soak/random.h"

namespace rollcall::soak {

/// One fault after the other on a thread of its own, each taken back before the next.
class Faults {
 public:
  struct Victim {
    std::string pod;  ///< NAMESPACE/NAME
    int node = 0;     ///< its number
  };
  /// `victims`: pods of jobs in flight, of which one loses its sandbox now and then; called on the faults' thread.
  Faults(std::uint64_t seed, std::function<std::vector<Victim>()> victims);
  ~Faults() { stop(); }
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

  void stop();  ///< once the fault that stands is taken back
  /// After stop().
  const std::map<std::string, int>& counts() const { return counts_; }
  /// Nodes whose pods were taken away at or after `since`: trainers that ran there may have ended badly.
  std::set<std::string> nodes_taken(std::chrono::steady_clock::time_point since) const;

 private:
  void run();
  void let_pass(int seconds) const;
  void leader_stands_still(const std::string& program);
  void api_server_away();
  void node_drained();
  void rolled_out(const std::string& program);
  void wall(const std::vector<std::string>& words);
  void kubelet_deaf();
  void sandbox_killed();
  void took(int node);

  Random random_;
  std::function<std::vector<Victim>()> victims_;
  std::map<std::string, int> counts_;
  mutable std::mutex mutex_;
  std::map<std::string, std::chrono::steady_clock::time_point> taken_;  // by node, the last time
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

}  // namespace rollcall::soak
