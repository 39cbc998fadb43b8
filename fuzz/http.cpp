#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <memory>
#include <string>

#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "serve/server.h"

// Bytes on a connection to the server that desk and webhook share (without TLS, which would keep them out). Whatever
// comes, the handler is only given what is within the limits, what is sent back is HTTP, the connection ends, and the
// next caller is answered.
namespace rollcall::fuzz {
namespace {

constexpr std::size_t kMaxBody = 4096;

serve::Server& server() {
  static const std::unique_ptr<serve::Server> running = [] {
    std::signal(SIGPIPE, SIG_IGN);
    serve::Options options;
    options.address = "127.0.0.1";
    options.threads = 1;
    options.limits.body_bytes = kMaxBody;
    options.limits.header_bytes = 2048;
    options.limits.read = std::chrono::milliseconds(2'000);
    options.limits.idle = std::chrono::milliseconds(2'000);
    auto started = serve::Server::start(options, [](const serve::Request& request, const serve::Respond& respond) {
      must(request.body.size() <= kMaxBody, "no body is longer than the limit");
      must(request.target.size() + request.authorization.size() + request.content_type.size() <= 2048 + 64,
           "no head is longer than the limit");
      respond({200, "text/plain", "heard\n", {}});
    });
    must(started.ok(), "the server starts");
    return std::move(*started);
  }();
  return *running;
}

/// Repeats a call that a signal broke off: libFuzzer looks at its clock by SIGALRM.
template <class Call>
auto unbroken(Call call) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

/// What came back until the end of the connection.
std::string exchange(std::string_view bytes) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(server().port());
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  must(connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0, "the server takes connections");
  while (!bytes.empty()) {
    const auto sent = unbroken([&] { return send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL); });
    if (sent <= 0) break;  // refused and closed half-way: allowed
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  shutdown(fd, SHUT_WR);
  std::string heard;
  for (;;) {
    pollfd wait{fd, POLLIN, 0};
    must(unbroken([&] { return poll(&wait, 1, 10'000); }) == 1,
         "a connection whose sender is done ends within its deadlines");
    char buffer[4096];
    const auto got = unbroken([&] { return recv(fd, buffer, sizeof buffer, 0); });
    if (got <= 0) break;
    heard.append(buffer, static_cast<std::size_t>(got));
    must(heard.size() < (1u << 20), "little is sent back");
  }
  close(fd);
  return heard;
}

}  // namespace

void fuzz_http(std::string_view bytes) {
  const std::string heard = exchange(bytes);
  must(heard.empty() || heard.starts_with("HTTP/1."), "what is sent back is HTTP");
  static std::atomic<unsigned> count{0};
  if (count++ % 32 != 0) return;
  const std::string honest = exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
  must(honest.starts_with("HTTP/1.1 200"), "an honest caller is answered");
}

}  // namespace rollcall::fuzz

ROLLCALL_FUZZ_TARGET(http);
