#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "child/collective/options.h"
#include "child/collective/pattern.h"
#include "child/collective/private_log.h"
#include "child/driver/cuda.h"
#include "child/driver/nccl.h"
#include "roll_call/collective.h"

namespace rollcall::child {

/// What ends a collective early.
struct Fault {
  roll_call::RankOutcome outcome = roll_call::RankOutcome::Error;
  int result = 0;
  std::string error;
};
using Outcome = std::optional<Fault>;  ///< nullopt: went well

/// One rank's libraries, device and communicator, and the steps it takes. One thread. Every call into a library is
/// preceded by its step line; calls that only wait are polled, so that new warnings of NCCL's are told while it hangs.
class Session {
 public:
  explicit Session(const CollectiveOptions& options);

  Outcome load_cuda();
  Outcome load_nccl();
  /// cuInit, the device's primary context, a stream.
  Outcome open_device();
  /// --make-id: makes and prints it. Else takes the given one.
  Outcome unique_id();
  /// Buffers of the small message; `large` as far as memory allows, at least the small one's size.
  Outcome allocate();
  Outcome join();
  /// Both patterns through the small buffer, checked; then timed.
  Outcome small();
  /// Timed, then checked. Nothing when the order has no large message or there is nobody to talk to.
  Outcome large();
  /// Before the communicator is let go: libraries that hang in it end the process with `code` after a few seconds.
  void leave(bool well, int code);

  /// What is known; its outcome is TimedOut until `done` says otherwise.
  roll_call::RankResult& result() { return result_; }
  void tell();
  bool simulated() const { return simulated_; }

 private:
  void begin(const std::string& step);
  Outcome cuda(CUresult code) const;
  Outcome nccl(ncclResult_t code);
  /// Asks `ready` until it says so; nullopt with no fault. Reads the log meanwhile.
  Outcome wait(const std::function<ncclResult_t()>& ready);
  Outcome wait_communicator();
  Outcome wait_stream();
  /// One all-reduce of int32; waits for it. `seconds`: by CUDA's events, which do not count the polling.
  Outcome all_reduce(CUdeviceptr from, CUdeviceptr to, std::size_t count, ncclRedOp_t operation,
                     double* seconds = nullptr);
  Outcome agree(std::int32_t& value);  ///< the smallest of all ranks' values
  Outcome checked(Pattern kind, std::size_t count);
  void read_log();

  CollectiveOptions options_;
  roll_call::RankResult result_;
  bool simulated_ = false;
  std::chrono::steady_clock::time_point step_began_;
  PrivateLog log_;
  bool told_warning_ = false;
  std::optional<Cuda> cuda_;
  std::optional<Nccl> nccl_;
  CUstream stream_ = nullptr;
  CUevent from_ = nullptr, to_ = nullptr;
  ncclUniqueId id_{};
  ncclComm_t comm_ = nullptr;
  CUdeviceptr in_ = 0, out_ = 0;
  std::int64_t large_bytes_ = 0;
};

}  // namespace rollcall::child
