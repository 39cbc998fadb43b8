// The trainer of the end-to-end tests: a static program without shell or libc files, so that it also shows that
// Rollcall works in an image of its own. It prints the launch values it was given, meets its peers at
// MASTER_ADDR:MASTER_PORT as a real launcher would, and ends as its arguments say.
//
//   e2e-trainer [--wait-file FILE] [--meet] [--exit CODE] [--seconds N]
//
// --wait-file FILE: first wait, at most 120 s, until FILE exists (an init container of the benches).
// --meet: node rank 0 accepts NNODES-1 peers on MASTER_PORT, the others connect and tell their rank; bounded by 60 s.
// --seconds N: stay that long before the end. --exit CODE: end with CODE.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kMeetDeadline{60};

const char* env(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

sockaddr_in address_of(const char* text, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  if (inet_pton(AF_INET, text, &address.sin_addr) != 1) {
    std::printf("trainer FAULT: MASTER_ADDR \"%s\" is no literal address\n", text);
    std::exit(40);
  }
  return address;
}

int accept_peers(int port, int peers) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const int one = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  sockaddr_in any = address_of("0.0.0.0", port);
  if (bind(listener, reinterpret_cast<sockaddr*>(&any), sizeof any) != 0 || listen(listener, 64) != 0) {
    std::printf("trainer FAULT: cannot listen on %d: %s\n", port, std::strerror(errno));
    return 41;
  }
  std::set<int> met;
  const auto end = Clock::now() + kMeetDeadline;
  while (static_cast<int>(met.size()) < peers) {
    pollfd wait{listener, POLLIN, 0};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0 || poll(&wait, 1, static_cast<int>(left)) <= 0) {
      std::printf("trainer FAULT: only %zu of %d peers came\n", met.size(), peers);
      return 42;
    }
    const int peer = accept(listener, nullptr, nullptr);
    int rank = -1;
    if (peer >= 0 && recv(peer, &rank, sizeof rank, MSG_WAITALL) == static_cast<ssize_t>(sizeof rank)) {
      met.insert(rank);
      static_cast<void>(send(peer, &rank, sizeof rank, MSG_NOSIGNAL));
    }
    close(peer);
  }
  return 0;
}

int reach_master(const char* master, int port, int rank) {
  sockaddr_in target = address_of(master, port);
  const auto end = Clock::now() + kMeetDeadline;
  while (Clock::now() < end) {
    const int peer = socket(AF_INET, SOCK_STREAM, 0);
    int echoed = -1;
    const bool met = connect(peer, reinterpret_cast<sockaddr*>(&target), sizeof target) == 0 &&
                     send(peer, &rank, sizeof rank, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof rank) &&
                     recv(peer, &echoed, sizeof echoed, MSG_WAITALL) == static_cast<ssize_t>(sizeof echoed) &&
                     echoed == rank;
    close(peer);
    if (met) return 0;
    std::this_thread::sleep_for(
        std::chrono::milliseconds(100));  // as a launcher's retry: node rank 0 may not listen yet
  }
  std::printf("trainer FAULT: no answer from %s:%d\n", master, port);
  return 43;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGTERM, [](int) { _exit(143); });
  bool meet = false;
  int code = 0;
  int seconds = 0;
  std::string awaited;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--meet") meet = true;
    if (argument == "--wait-file" && i + 1 < argc) awaited = argv[++i];
    if (argument == "--exit" && i + 1 < argc) code = std::atoi(argv[++i]);
    if (argument == "--seconds" && i + 1 < argc) seconds = std::atoi(argv[++i]);
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  for (int tries = 0; !awaited.empty() && access(awaited.c_str(), F_OK) != 0; ++tries) {
    if (tries == 12000) return 44;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  std::printf(
      "trainer MASTER_ADDR=%s MASTER_PORT=%s NNODES=%s NODE_RANK=%s NPROC_PER_NODE=%s WORLD_SIZE=%s RANK=%s own=%s "
      "t=%lld\n",
      env("MASTER_ADDR"), env("MASTER_PORT"), env("NNODES"), env("NODE_RANK"), env("NPROC_PER_NODE"), env("WORLD_SIZE"),
      env("RANK"), env("OWN_ADDR"),
      static_cast<long long>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count()));
  if (meet) {
    const int rank = std::atoi(env("NODE_RANK"));
    const int port = std::atoi(env("MASTER_PORT"));
    const int nodes = std::atoi(env("NNODES"));
    const int met = rank == 0 ? accept_peers(port, nodes - 1) : reach_master(env("MASTER_ADDR"), port, rank);
    if (met != 0) return met;
    std::printf("trainer met node_rank=%d\n", rank);
  }
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  while (Clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::printf("trainer done\n");
  return code;
}
