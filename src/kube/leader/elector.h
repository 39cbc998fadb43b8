#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "kube/client.h"
#include "kube/leader/times.h"

namespace rollcall::kube {

/// One of several processes leads: coordination.k8s.io/v1 Lease with client-go's rules, so that `kubectl get lease`
/// tells the truth. Whether another's lease is over is judged by how long we saw it unchanged on our own monotonic
/// clock, never by the times written in it: clocks of machines differ. Not a fencing token: writes that matter carry a
/// resourceVersion. The rules stand in election.h.
///
/// Rights it needs, in `ns`: leases create; get, update of that name.
class Elector {
 public:
  struct Options {
    std::string ns, name;  ///< of the Lease
    std::string identity;  ///< pod name and a random suffix (identity_of): two processes never share one
    LeaseTimes times = {};
    /// Absent: the machine's monotonic clock that goes on while the machine is suspended.
    std::function<std::chrono::steady_clock::time_point()> now = {};
  };
  struct Callbacks {
    /// On the elector's thread, once; `transitions` is the Lease's leaseTransitions, which grows with each new holder
    /// (a process that finds its own name in the Lease after a restart counts too). Short: renewals wait for it.
    std::function<void(std::int64_t transitions)> won = {};
    /// On the elector's thread, once, not during `won` and not after stop(): the process should end, non-zero, without
    /// further writes. Without a `won` before it when the process was stopped while it won.
    std::function<void(const std::string& why)> lost = {};
    /// On the elector's thread (and that of stop()): a try did not succeed, in words; it goes on trying. Every 2 s at
    /// worst: log sparingly.
    std::function<void(const std::string& why)> failed = {};
  };

  /// `client` must outlive it, and should be one of its own made with client_options(): a call that hangs for 30 s
  /// would cost the lease.
  Elector(Client& client, Options options, Callbacks callbacks);
  ~Elector();
  Elector(const Elector&) = delete;
  Elector& operator=(const Elector&) = delete;

  /// Each call ends within half the renew deadline, so that a second try fits in.
  static ClientOptions client_options(const LeaseTimes& times);

  void start();  ///< once
  /// From here on leading() is false. Gives the lease back (empty holder, one second), so that another takes over at
  /// its next look. Not from a callback. The destructor does the same.
  void stop();
  /// Whether we lead NOW: the last renewal that succeeded was sent less than `renew` ago, on the monotonic clock. Ask
  /// before each reply and each write; a process that was stopped and woken gets false. Any thread, no I/O.
  bool leading() const;
  std::int64_t transitions() const;  ///< of our own term; 0 before it was won
  /// Who holds it as we last saw; empty = nobody.
  std::string holder() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// `rollcall-desk-7d9f-x2x4j_5f0c31aa9e7d2b64`: a process that was started anew in the same pod is another one.
std::string identity_of(const std::string& pod_name);

}  // namespace rollcall::kube
