#include "probe/exchange/client.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>

#include "probe/net/address.h"
#include "probe/net/listen.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

using Clock = std::chrono::steady_clock;
using roll_call::EdgeOutcome;

struct Attempt {
  enum class State { Connecting, Sending, ReadingGreeting, ReadingPayload, Ended };

  std::size_t index = 0;
  Fd fd;
  State state = State::Connecting;
  Clock::time_point began;
  Clock::time_point deadline;
  std::size_t sent = 0;      // of greeting and payload together
  std::size_t received = 0;  // of the peer's greeting, then of its payload
  GreetingBytes greeting{};
  ExchangeResult result;

  short wants() const { return state == State::Connecting || state == State::Sending ? POLLOUT : POLLIN; }
};

/// What an errno of connect says about the way there.
EdgeOutcome outcome_of_connect(int error) {
  switch (error) {
    case ETIMEDOUT:
      return EdgeOutcome::Dropped;
    case ECONNREFUSED:
    case ECONNRESET:
      return EdgeOutcome::Refused;
    case EHOSTUNREACH:
    case ENETUNREACH:
    case EHOSTDOWN:
    case ENETDOWN:
      return EdgeOutcome::NoRoute;
    default:
      return EdgeOutcome::LocalError;  // EPERM (a local firewall), EMFILE, EADDRNOTAVAIL …
  }
}

class Run {
 public:
  Run(const std::vector<ExchangeTarget>& targets, const ExchangeClientOptions& options, const Wake& cancel,
      const std::function<void(std::size_t, const ExchangeResult&)>& ended)
      : targets_(targets), options_(options), cancel_(cancel), ended_(ended) {}

  ~Run() {
    for (auto& attempt : flying_) close_by_reset(attempt.fd);
  }

  void run() {
    const auto over = Clock::now() + options_.overall;
    std::vector<pollfd> polled;
    while (next_ < targets_.size() || !flying_.empty()) {
      while (next_ < targets_.size() && static_cast<int>(flying_.size()) < options_.in_flight) begin(next_++);
      flying_.remove_if([](const Attempt& a) { return a.state == Attempt::State::Ended; });
      if (flying_.empty()) continue;

      polled.assign(1, {cancel_.fd(), POLLIN, 0});
      auto wake = over;
      for (const auto& attempt : flying_) {
        polled.push_back({attempt.fd.get(), attempt.wants(), 0});
        wake = std::min(wake, attempt.deadline);
      }
      const auto wait = std::chrono::ceil<std::chrono::milliseconds>(wake - Clock::now()).count();
      ::poll(polled.data(), polled.size(), static_cast<int>(std::max<std::int64_t>(wait, 0)));
      if ((polled[0].revents & POLLIN) != 0) return;

      std::size_t at = 1;
      const auto now = Clock::now();
      for (auto& attempt : flying_) {
        if (polled[at++].revents != 0) advance(attempt);
        if (attempt.state != Attempt::State::Ended && now >= attempt.deadline) overdue(attempt);
      }
      flying_.remove_if([](const Attempt& a) { return a.state == Attempt::State::Ended; });
      if (now >= over) return give_up();
    }
  }

 private:
  void begin(std::size_t index) {
    Attempt& attempt = flying_.emplace_back();
    attempt.index = index;
    attempt.began = Clock::now();
    attempt.deadline = attempt.began + options_.connect;
    const auto address = SocketAddress::of(targets_[index].address, targets_[index].port);
    if (!address) return end(attempt, EdgeOutcome::LocalError, address.error().message);
    attempt.fd = Fd(::socket(address->family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!attempt.fd.valid()) return end(attempt, EdgeOutcome::LocalError, "opening a socket: " + errno_words(errno));
    if (::connect(attempt.fd.get(), address->raw(), address->length()) == 0) {
      connected(attempt);
    } else if (errno != EINPROGRESS) {
      end(attempt, outcome_of_connect(errno), errno_words(errno));
    }
  }

  void connected(Attempt& attempt) {
    attempt.state = Attempt::State::Sending;
    attempt.deadline = Clock::now() + options_.exchange;
    const Greeting greeting{options_.kind, ExchangeSide::Client, options_.node_rank, targets_[attempt.index].to};
    attempt.greeting = encode(greeting, options_.nonce);
  }

  void advance(Attempt& a) {
    if (a.state == Attempt::State::Connecting) {
      int error = 0;
      socklen_t length = sizeof error;
      ::getsockopt(a.fd.get(), SOL_SOCKET, SO_ERROR, &error, &length);
      if (error != 0) return end(a, outcome_of_connect(error), errno_words(error));
      connected(a);
    }
    if (a.state == Attempt::State::Sending && !send_all(a)) return;
    if (a.state == Attempt::State::ReadingGreeting && !read_greeting(a)) return;
    if (a.state == Attempt::State::ReadingPayload) read_payload(a);
  }

  bool send_all(Attempt& a) {
    const std::size_t whole = kGreetingBytes + options_.payload_bytes;
    while (a.sent < whole) {
      const bool greeting = a.sent < kGreetingBytes;
      const auto part =
          greeting ? std::string_view(reinterpret_cast<const char*>(a.greeting.data()), kGreetingBytes).substr(a.sent)
                   : payload_from(ExchangeSide::Client, a.sent - kGreetingBytes, whole - a.sent);
      const auto sent = ::send(a.fd.get(), part.data(), part.size(), MSG_NOSIGNAL);
      if (sent > 0) {
        a.sent += static_cast<std::size_t>(sent);
      } else if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
        return false;
      } else {
        broken(a, errno);
        return false;
      }
    }
    a.greeting = {};
    a.state = Attempt::State::ReadingGreeting;
    return true;
  }

  bool read_greeting(Attempt& a) {
    while (a.received < kGreetingBytes) {
      const auto got = ::recv(a.fd.get(), a.greeting.data() + a.received, kGreetingBytes - a.received, 0);
      if (got > 0) {
        a.received += static_cast<std::size_t>(got);
      } else if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return false;
      } else {
        broken(a, got == 0 ? 0 : errno);
        return false;
      }
    }
    const auto greeting = decode(a.greeting, options_.nonce);
    if (!greeting || greeting->side != ExchangeSide::Server || greeting->kind != options_.kind ||
        greeting->from != targets_[a.index].to || greeting->to != options_.node_rank) {
      end(a, EdgeOutcome::WrongPeer, "something answered that is not the probe of this round's node rank");
      return false;
    }
    a.received = 0;
    a.state = Attempt::State::ReadingPayload;
    return true;
  }

  void read_payload(Attempt& a) {
    char buffer[16384];
    while (a.received < options_.payload_bytes) {
      const auto expected = payload_from(ExchangeSide::Server, a.received, options_.payload_bytes - a.received);
      const auto got = ::recv(a.fd.get(), buffer, std::min(sizeof buffer, expected.size()), 0);
      if (got > 0) {
        const auto size = static_cast<std::size_t>(got);
        if (std::memcmp(buffer, expected.data(), size) != 0) {
          return end(a, EdgeOutcome::Stalled,
                     text("bytes were changed on the way, near byte ", a.received, " of the peer's payload"));
        }
        a.received += size;
      } else if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
      } else {
        return broken(a, got == 0 ? 0 : errno);
      }
    }
    end(a, EdgeOutcome::Ok, "");
  }

  /// The peer ended the connection before the exchange was whole.
  void broken(Attempt& a, int error) {
    const std::string how = error == 0 ? "closed the connection" : text("ended the connection: ", errno_words(error));
    if (a.state == Attempt::State::ReadingPayload) {
      return end(a, EdgeOutcome::Stalled,
                 text("the peer ", how, " after ", a.received, " of ", options_.payload_bytes, " bytes"));
    }
    end(a, EdgeOutcome::WrongPeer,
        text("connected, but the other end ", how, " without greeting as this round's probe"));
  }

  void overdue(Attempt& a) {
    const auto seconds = [](std::chrono::milliseconds ms) { return static_cast<double>(ms.count()) / 1000; };
    switch (a.state) {
      case Attempt::State::Connecting:
        return end(a, EdgeOutcome::Dropped,
                   text("no answer to the connection request within ", seconds(options_.connect), " s"));
      case Attempt::State::Sending:
        return end(a, EdgeOutcome::Stalled,
                   text("connected, but after ", seconds(options_.exchange), " s only ", a.sent, " of ",
                        kGreetingBytes + options_.payload_bytes, " bytes were taken"));
      case Attempt::State::ReadingGreeting:
        return end(a, EdgeOutcome::Stalled,
                   text("connected, but no greeting came back within ", seconds(options_.exchange), " s"));
      case Attempt::State::ReadingPayload:
        return end(a, EdgeOutcome::Stalled,
                   a.received == 0 ? text("our ", options_.payload_bytes, " bytes were not acknowledged within ",
                                          seconds(options_.exchange), " s")
                                   : text("only ", a.received, " of ", options_.payload_bytes,
                                          " bytes came back within ", seconds(options_.exchange), " s"));
      case Attempt::State::Ended:
        return;
    }
  }

  void give_up() {
    const auto why = text("not tried: the ", options_.overall.count() / 1000, " s for all peers were over");
    for (auto& attempt : flying_) overdue(attempt);
    for (; next_ < targets_.size(); ++next_) ended_(next_, {EdgeOutcome::LocalError, 0, why});
  }

  void end(Attempt& a, EdgeOutcome outcome, std::string detail) {
    a.result.outcome = outcome;
    a.result.detail = std::move(detail);
    a.result.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - a.began).count();
    measure(a);
    a.state = Attempt::State::Ended;
    // On MASTER_PORT a plain close by the client, as the trainer's own ranks do. On the mesh a reset: both sides have
    // all bytes, and an ephemeral port in TIME_WAIT here could be the one the trainer wants to bind.
    if (outcome == EdgeOutcome::Ok && options_.kind == ExchangeKind::MasterPort) {
      a.fd.reset();
    } else {
      close_by_reset(a.fd);
    }
    ended_(a.index, a.result);
  }

  /// What the kernel knows of the connection, before it is closed.
  void measure(Attempt& a) const {
    if (a.state == Attempt::State::ReadingPayload) a.result.bytes = a.received;
    tcp_info info{};
    socklen_t length = sizeof info;
    if (!a.fd.valid() || ::getsockopt(a.fd.get(), IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return;
    a.result.retransmits = static_cast<int>(info.tcpi_total_retrans);
    // A kernel that does not know min_rtt (before 4.6) writes less; one that has not measured it writes all ones.
    if (length >= offsetof(tcp_info, tcpi_min_rtt) + sizeof info.tcpi_min_rtt && info.tcpi_min_rtt != ~0U)
      a.result.round_trip_ms = info.tcpi_min_rtt / 1000.0;
  }

  const std::vector<ExchangeTarget>& targets_;
  const ExchangeClientOptions& options_;
  const Wake& cancel_;
  const std::function<void(std::size_t, const ExchangeResult&)>& ended_;
  std::list<Attempt> flying_;
  std::size_t next_ = 0;
};

}  // namespace

void exchange_all(const std::vector<ExchangeTarget>& targets, const ExchangeClientOptions& options, const Wake& cancel,
                  const std::function<void(std::size_t, const ExchangeResult&)>& ended) {
  Run(targets, options, cancel, ended).run();
}

}  // namespace rollcall::probe
