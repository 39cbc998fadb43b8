#include "doubles/nccl/sockets.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "doubles/nccl/log.h"
#include "doubles/scenario/scenario.h"

namespace rollcall::doubles {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kAttempts = 34;  // NCCL_SOCKET_RETRY_CNT
constexpr auto kBackOff = std::chrono::milliseconds(100);
constexpr int kLookMs = 20;  // how often an abort is looked for

bool again(int error) {
  return error == EINTR || error == EAGAIN || error == ETIMEDOUT || error == EHOSTUNREACH || error == ECONNREFUSED;
}

/// Waits until `what` holds on `fd`; false when stopped.
bool wait_for(int fd, short what, const Stop& stop, Clock::time_point until = Clock::time_point::max()) {
  for (;;) {
    if (stop.load()) return false;
    pollfd one{fd, what, 0};
    if (poll(&one, 1, kLookMs) > 0) return true;
    if (Clock::now() >= until) return true;
  }
}

std::string peer_of(int fd) {
  Address address;
  address.length = sizeof address.storage;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address.storage), &address.length) != 0) return "unknown";
  return address.text();
}

Result lost(int fd, const char* words) {
  if (*words == '\0')
    warn("socket.cc:70", "socketProgress: Connection closed by remote peer " + peer_of(fd));
  else
    warn("socket.cc:49", "socketProgressOpt: Call to recv from " + peer_of(fd) + " failed : " + words);
  return kRemoteError;
}

/// errno of one attempt, 0 = connected, ECANCELED = stopped.
int attempt(const Address& address, const Stop& stop, Clock::time_point until, Socket& socket) {
  socket = Socket(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.open()) return errno;
  const int on = 1;
  setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(socket.fd(), reinterpret_cast<const sockaddr*>(&address.storage), address.length) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  if (!wait_for(socket.fd(), POLLOUT, stop, until)) return ECANCELED;
  pollfd one{socket.fd(), POLLOUT, 0};
  if (poll(&one, 1, 0) == 0) return ETIMEDOUT;  // the scenario's time is over
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &error, &length);
  return error;
}

}  // namespace

Socket& Socket::operator=(Socket&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) close(fd_);
    fd_ = other.release();
  }
  return *this;
}

Socket::~Socket() {
  if (fd_ >= 0) close(fd_);
}

int Socket::release() { return std::exchange(fd_, -1); }

Result listen_on(const Address& address, Listener& listener) {
  listener.address = address;
  listener.socket = Socket(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener.socket.open()) {
    warn("socket.cc:661", std::string("ncclSocketInit: Socket creation failed : ") + std::strerror(errno));
    return kSystemError;
  }
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(address.storage);
  if (v4.sin_port != 0) {  // at the same place in both families
    const int on = 1;
    setsockopt(listener.socket.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(listener.socket.fd(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  }
  // What NCCL's own bind of such an address ends in: seen with 2.18 to 2.32.
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address.storage);
  if (address.storage.ss_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr)) {
    warn("socket.cc:409", std::string("Call to bind failed: ") + std::strerror(EADDRNOTAVAIL));
    return kSystemError;
  }
  if (bind(listener.socket.fd(), reinterpret_cast<const sockaddr*>(&address.storage), address.length) != 0) {
    warn("socket.cc:409", std::string("Call to bind failed: ") + std::strerror(errno));
    return kSystemError;
  }
  auto length = address.length;
  getsockname(listener.socket.fd(), reinterpret_cast<sockaddr*>(&listener.address.storage), &length);
  if (listen(listener.socket.fd(), 16384) != 0) {
    warn("socket.cc:427", std::string("Call to listen failed: ") + std::strerror(errno));
    return kSystemError;
  }
  return kSuccess;
}

Result connect_to(const Address& address, std::uint64_t magic, const Stop& stop, Socket& socket) {
  const double limit = Scenario::get().real("retry_seconds", {}, 0);
  const auto until = limit > 0 ? Clock::now() + std::chrono::microseconds(static_cast<std::int64_t>(limit * 1e6))
                               : Clock::time_point::max();
  for (int tries = 1;; ++tries) {
    const int error = attempt(address, stop, until, socket);
    if (error == 0) return send_all(socket, &magic, sizeof magic, stop);
    if (error == ECANCELED) return kInternalError;
    if (!again(error)) {
      warn("socket.cc:588", "socketPollConnect: connect to " + address.text() + " failed : " + std::strerror(error));
      return kSystemError;
    }
    if (tries > kAttempts || Clock::now() >= until) {
      warn("socket.cc:577", "socketPollConnect: connect to " + address.text() + " returned " + std::strerror(error) +
                                ", exceeded error retry count after " + std::to_string(tries) + " attempts");
      return kRemoteError;
    }
    const auto pause = kBackOff * tries;
    info(Subsystem::Net, "socketPollConnect: connect to " + address.text() + " returned " + std::strerror(error) +
                             ", retrying (" + std::to_string(tries) + "/" + std::to_string(kAttempts) +
                             ") after sleep for " + std::to_string(pause.count()) + " msec");
    const auto wake = std::min<Clock::time_point>(Clock::now() + pause, until);
    while (Clock::now() < wake && !stop.load())
      std::this_thread::sleep_for(std::min<Clock::duration>(wake - Clock::now(), pause / 10));
  }
}

Result accept_from(const Listener& listener, std::uint64_t magic, const Stop& stop, Socket& socket) {
  for (;;) {
    if (!wait_for(listener.socket.fd(), POLLIN, stop)) return kInternalError;
    Socket one(accept4(listener.socket.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!one.open()) continue;
    const int on = 1;
    setsockopt(one.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    std::uint64_t theirs = 0;
    std::size_t got = 0;
    // A stranger that says nothing does not hold up the rest for ever.
    const auto until = Clock::now() + std::chrono::seconds(5);
    while (got < sizeof theirs && Clock::now() < until && wait_for(one.fd(), POLLIN, stop, until)) {
      const auto count = recv(one.fd(), reinterpret_cast<char*>(&theirs) + got, sizeof theirs - got, 0);
      if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) break;
      if (count > 0) got += static_cast<std::size_t>(count);
    }
    if (stop.load()) return kInternalError;
    if (got < sizeof theirs || theirs != magic) continue;
    socket = std::move(one);
    return kSuccess;
  }
}

Result exchange(const Socket& next, const void* out, std::size_t out_bytes, const Socket& prev, void* in,
                std::size_t in_bytes, const Stop& stop) {
  std::size_t sent = 0, got = 0;
  while (sent < out_bytes || got < in_bytes) {
    if (stop.load()) return kInternalError;
    pollfd both[2] = {{sent < out_bytes ? next.fd() : -1, POLLOUT, 0}, {got < in_bytes ? prev.fd() : -1, POLLIN, 0}};
    if (poll(both, 2, kLookMs) <= 0) continue;
    if (both[0].revents != 0) {
      const auto count = send(next.fd(), static_cast<const char*>(out) + sent, out_bytes - sent, MSG_NOSIGNAL);
      if (count > 0) {
        sent += static_cast<std::size_t>(count);
      } else if (count < 0 && errno != EAGAIN && errno != EINTR) {
        return lost(next.fd(), std::strerror(errno));
      }
    }
    if (both[1].revents != 0) {
      const auto count = recv(prev.fd(), static_cast<char*>(in) + got, in_bytes - got, 0);
      if (count == 0) return lost(prev.fd(), "");
      if (count > 0) {
        got += static_cast<std::size_t>(count);
      } else if (errno != EAGAIN && errno != EINTR) {
        return lost(prev.fd(), std::strerror(errno));
      }
    }
  }
  return kSuccess;
}

Result send_all(const Socket& socket, const void* data, std::size_t bytes, const Stop& stop) {
  return exchange(socket, data, bytes, socket, nullptr, 0, stop);
}

Result receive_all(const Socket& socket, void* data, std::size_t bytes, const Stop& stop) {
  return exchange(socket, nullptr, 0, socket, data, bytes, stop);
}

Result send_message(const Socket& socket, const void* data, int bytes, const Stop& stop) {
  if (const auto result = send_all(socket, &bytes, sizeof bytes, stop); result != kSuccess) return result;
  return send_all(socket, data, static_cast<std::size_t>(bytes), stop);
}

Result receive_message(const Socket& socket, void* data, int bytes, const Stop& stop, int* received) {
  int theirs = 0;
  if (const auto result = receive_all(socket, &theirs, sizeof theirs, stop); result != kSuccess) return result;
  if (theirs < 0 || theirs > bytes) {
    warn("bootstrap.cc:212",
         "Message truncated : received " + std::to_string(theirs) + " bytes instead of " + std::to_string(bytes));
    return kInternalError;
  }
  if (received != nullptr) *received = theirs;
  return receive_all(socket, data, static_cast<std::size_t>(theirs), stop);
}

}  // namespace rollcall::doubles
