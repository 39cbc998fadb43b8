#include "range/delay.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <thread>

#include "probe/net/fd.h"
#include "probe/net/wake.h"

namespace rollcall::range {
namespace {

using Clock = std::chrono::steady_clock;

/// A device's name may have 15 characters; one a peer.
std::string device_to(int peer) { return "later" + std::to_string(peer); }

void must(bool good, const char* what) {
  if (!good) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

class Relay final : public Delay {
 public:
  Relay(const std::string& device, const std::string& peer, std::chrono::milliseconds delay) : delay_(delay) {
    tun_ = probe::Fd(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
    must(tun_.valid(), "/dev/net/tun");
    ifreq request{};
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    std::strncpy(request.ifr_name, device.c_str(), sizeof request.ifr_name - 1);
    must(::ioctl(tun_.get(), TUNSETIFF, &request) == 0, "TUNSETIFF");
    wire_ = probe::Fd(::socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW));
    must(wire_.valid(), "a raw socket");
    constexpr std::string_view kWire = "eth0";
    must(::setsockopt(wire_.get(), SOL_SOCKET, SO_BINDTODEVICE, kWire.data(), kWire.size()) == 0, "SO_BINDTODEVICE");
    to_.sin_family = AF_INET;
    must(::inet_pton(AF_INET, peer.c_str(), &to_.sin_addr) == 1, "the peer's address");
  }

  ~Relay() override {
    stop_.notify();
    if (thread_.joinable()) thread_.join();
  }

  void begin() {
    thread_ = std::thread([this] { relay(); });
  }

 private:
  struct Packet {
    Clock::time_point due;
    std::string bytes;
  };

  void relay() {
    std::deque<Packet> kept;
    std::array<char, 65536> buffer{};
    while (true) {
      timespec wait{3600, 0};
      if (!kept.empty()) {
        const auto left = std::max(kept.front().due - Clock::now(), Clock::duration::zero());
        wait = {0, std::chrono::duration_cast<std::chrono::nanoseconds>(left).count()};
      }
      pollfd polled[2] = {{tun_.get(), POLLIN, 0}, {stop_.fd(), POLLIN, 0}};
      ::ppoll(polled, 2, &wait, nullptr);
      if (polled[1].revents != 0) return;
      for (ssize_t got = 0; (got = ::read(tun_.get(), buffer.data(), buffer.size())) > 0;)
        kept.push_back({Clock::now() + delay_, std::string(buffer.data(), static_cast<std::size_t>(got))});
      for (; !kept.empty() && kept.front().due <= Clock::now(); kept.pop_front()) {
        // Best effort, as a wire is.
        ::sendto(wire_.get(), kept.front().bytes.data(), kept.front().bytes.size(), 0,
                 reinterpret_cast<const sockaddr*>(&to_), sizeof to_);
      }
    }
  }

  const std::chrono::milliseconds delay_;
  probe::Fd tun_;
  probe::Fd wire_;
  sockaddr_in to_{};
  probe::Wake stop_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Delay> Delay::start(const Network& network, int node, int peer, std::chrono::milliseconds delay) {
  std::unique_ptr<Relay> relay;
  network.inside(node, [&] { relay = std::make_unique<Relay>(device_to(peer), network.address(peer), delay); });
  network.at(node, "sysctl -q -w net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.eth0.rp_filter=0");
  network.at(node, "ip link set " + device_to(peer) + " up");
  network.at(node,
             "ip route add " + network.address(peer) + "/32 dev " + device_to(peer) + " src " + network.address(node));
  network.inside(node, [&] { relay->begin(); });
  return relay;
}

}  // namespace rollcall::range
