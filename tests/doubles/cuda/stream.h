#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

/// Streams and events of the CUDA double. Work runs in order on one thread a stream, so that a collective whose peer is
/// gone keeps its stream busy, as a kernel that spins does. Time is modelled: each piece of work says how long it would
/// have taken on the scenario's GPU, and events read that clock, so that bandwidths do not depend on the machine the
/// tests run on.
namespace rollcall::doubles {

class Stream {
 public:
  Stream();  ///< starts its thread, which lives until the process ends or the stream is destroyed and idle

  /// `work` returns its modelled seconds. Never blocks.
  void enqueue(std::function<double()> work);
  bool idle();
  void synchronize();
  /// Seconds of modelled work done so far; only work done before the call.
  double clock();
  /// Ends the thread when the queue is empty; the object frees itself.
  void destroy();

 private:
  void run();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<double()>> queue_;
  bool busy_ = false;
  bool ends_ = false;
  double clock_ = 0;
};

struct Event {
  std::mutex mutex;
  std::condition_variable changed;
  bool pending = false;
  bool recorded = false;
  double clock = 0;
};

}  // namespace rollcall::doubles
