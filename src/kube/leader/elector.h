#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "kube/client.h"

namespace rollcall::kube {

/// client-go's figures: whoever holds the lease renews it every `retry` and stops leading when `renew` passed without
/// success; others take it over once they saw it unchanged for `lease`. lease > renew > 1.2 x retry.
struct LeaseTimes {
  std::chrono::milliseconds lease{15'000};
  std::chrono::milliseconds renew{10'000};
  std::chrono::milliseconds retry{2'000};
};

/// One of several processes leads: coordination.k8s.io/v1 Lease with client-go's rules, so that `kubectl get lease`
/// tells the truth. Whether another's lease is over is judged by how long we saw it unchanged on our own monotonic
/// clock, never by the times written in it: clocks of machines differ. Not a fencing token: writes that matter carry a
/// resourceVersion.
class Elector {
 public:
  struct Options {
    std::string ns, name;  ///< of the Lease
    std::string identity;  ///< pod name and a random suffix: two processes never share one
    LeaseTimes times = {};
  };
  struct Callbacks {
    /// On the elector's thread, once; `transitions` is the Lease's leaseTransitions, which grows with each new holder
    /// (a process that finds its own name in the Lease after a restart counts too).
    std::function<void(std::int64_t transitions)> won = {};
    /// Once, after `won`: the process should end, non-zero, without further writes.
    std::function<void(const std::string& why)> lost = {};
  };

  Elector(Client& client, Options options, Callbacks callbacks);
  ~Elector();
  Elector(const Elector&) = delete;
  Elector& operator=(const Elector&) = delete;

  void start();
  /// Gives the lease back (empty holder, one second), so that another takes over at once. Not from a callback.
  void stop();
  /// Whether we lead NOW: the last renewal that succeeded was sent less than `renew` ago, on the monotonic clock. Ask
  /// before each reply and each write; a process that was stopped and woken gets false. Any thread, no I/O.
  bool leading() const;
  std::int64_t transitions() const;
  /// Who holds it as we last saw; empty = nobody.
  std::string holder() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rollcall::kube
