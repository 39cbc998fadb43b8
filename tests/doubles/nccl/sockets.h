#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "doubles/nccl/interfaces.h"

/// TCP as NCCL uses it: listeners on port 0, connections that are tried again, a magic number first. Everything ends
/// when the communicator is aborted.
namespace rollcall::doubles {

/// NCCL's results, nccl.h.
enum Result : int {
  kSuccess = 0,
  kUnhandledCudaError = 1,
  kSystemError = 2,
  kInternalError = 3,
  kInvalidArgument = 4,
  kInvalidUsage = 5,
  kRemoteError = 6,
  kInProgress = 7,
};

/// Owns a descriptor.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(other.release()) {}
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();
  int fd() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  int release();

 private:
  int fd_ = -1;
};

struct Listener {
  Socket socket;
  Address address;
};

using Stop = std::atomic<bool>;

/// Words go to the log. `address` with port 0, or a port that NCCL_COMM_ID fixes.
Result listen_on(const Address& address, Listener& listener);
/// Tries again as 2.24 and later do: 34 times, n x 100 ms apart, on refused, timed out and unreachable; `retry_seconds`
/// of the scenario ends it earlier. A peer of another magic is not noticed here: it drops us.
Result connect_to(const Address& address, std::uint64_t magic, const Stop& stop, Socket& socket);
/// The next connection that begins with `magic`; others are dropped silently.
Result accept_from(const Listener& listener, std::uint64_t magic, const Stop& stop, Socket& socket);
Result send_all(const Socket& socket, const void* data, std::size_t bytes, const Stop& stop);
Result receive_all(const Socket& socket, void* data, std::size_t bytes, const Stop& stop);
/// Both at once, so that a ring whose every rank sends first does not lock up.
Result exchange(const Socket& next, const void* out, std::size_t out_bytes, const Socket& prev, void* in,
                std::size_t in_bytes, const Stop& stop);
/// NCCL's bootstrap messages: a length first. Another length than ours is "Message truncated" when it is more.
Result send_message(const Socket& socket, const void* data, int bytes, const Stop& stop);
Result receive_message(const Socket& socket, void* data, int bytes, const Stop& stop, int* received = nullptr);

}  // namespace rollcall::doubles
