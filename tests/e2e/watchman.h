#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "e2e/ledger.h"
#include "e2e/world.h"

namespace rollcall::e2e {

/// Looks at all jobs, RollCalls and pods of a world's namespace about once a second and reads every trainer's log, on
/// a thread of its own, for as long as it lives. A look that the API server does not answer is left out: what must hold
/// is that nothing wrong is ever seen. Fails the test at its end with each rule that was broken.
class Watchman {
 public:
  explicit Watchman(World& world) : world_(world), thread_([this] { watch(); }) {}
  ~Watchman() { stop(); }
  Watchman(const Watchman&) = delete;
  Watchman& operator=(const Watchman&) = delete;

  void stop();  ///< after a last look
  int looks() const { return looks_; }
  /// A copy, from any thread.
  Ledger ledger() const;

 private:
  void watch();
  bool look();
  void read_logs();
  World& world_;
  mutable std::mutex mutex_;
  Ledger ledger_;
  std::atomic<int> looks_{0};
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

}  // namespace rollcall::e2e
