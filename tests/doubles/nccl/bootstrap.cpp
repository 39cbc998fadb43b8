#include "doubles/nccl/bootstrap.h"

#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>

#include "doubles/nccl/log.h"
#include "doubles/scenario/scenario.h"

namespace rollcall::doubles {
namespace {

/// What a rank tells the root. Since 2.23.4 several roots are possible, and the struct is another.
struct CheckIn {
  int rank = 0, nranks = 0;
  WireAddress from_root, ring;
};
struct CheckInWithRoots {
  int rank = 0, nranks = 0, iroot = 0, nroots = 1;
  WireAddress from_root;
  std::array<unsigned char, 128> ring{};  // union ringConnectInfo
};
bool several_roots() { return version_code() >= 22304; }

const Stop kNever{false};

struct Root {
  Listener listener;
  std::uint64_t magic = 0;
  std::vector<WireAddress> rings, roots;
  std::vector<bool> came;

  bool tell(int rank, const WireAddress& next) {
    Socket socket;
    if (connect_to(roots[static_cast<std::size_t>(rank)].address(), magic, kNever, socket) != kSuccess) return false;
    std::array<unsigned char, 128> info{};
    std::memcpy(info.data(), next.bytes.data(), next.bytes.size());
    return send_message(socket, info.data(), several_roots() ? 128 : static_cast<int>(next.bytes.size()), kNever) ==
           kSuccess;
  }

  bool take(CheckInWithRoots& info) {
    Socket socket;
    if (accept_from(listener, magic, kNever, socket) != kSuccess) return false;
    if (several_roots()) return receive_message(socket, &info, sizeof info, kNever) == kSuccess;
    CheckIn old;
    if (receive_message(socket, &old, sizeof old, kNever) != kSuccess) return false;
    info.rank = old.rank;
    info.nranks = old.nranks;
    info.from_root = old.from_root;
    std::memcpy(info.ring.data(), old.ring.bytes.data(), old.ring.bytes.size());
    return true;
  }

  /// Ends early, and leaves everybody waiting, as NCCL's does.
  void run() {
    int nranks = 0;
    for (int count = 0; count == 0 || count < nranks; ++count) {
      CheckInWithRoots info;
      info.nroots = several_roots() ? 0 : 1;
      if (!take(info)) return;
      if (count == 0) {
        nranks = info.nranks;
        if (nranks < 1) return;
        rings.resize(static_cast<std::size_t>(nranks));
        roots.resize(rings.size());
        came.resize(rings.size());
      }
      if (info.nranks != nranks || info.nroots != 1) {
        warn("bootstrap.cc:315", "Bootstrap Root : mismatch in info from procs, nranks " + std::to_string(nranks) +
                                     " vs " + std::to_string(info.nranks) + ", nroots 1 vs " +
                                     std::to_string(info.nroots) + ", iroot 0 vs " + std::to_string(info.iroot));
        return;
      }
      if (info.rank < 0 || info.rank >= nranks) return;
      const auto rank = static_cast<std::size_t>(info.rank);
      if (came[rank]) {
        warn("bootstrap.cc:322", "Bootstrap Root : rank " + std::to_string(info.rank) + " of " +
                                     std::to_string(nranks) + " ranks has already checked in");
        return;
      }
      came[rank] = true;
      roots[rank] = info.from_root;
      std::memcpy(rings[rank].bytes.data(), info.ring.data(), rings[rank].bytes.size());
    }
    for (int rank = 0; rank < nranks; ++rank)
      if (!tell(rank, rings[static_cast<std::size_t>((rank + 1) % nranks)])) return;
  }
};

}  // namespace

WireAddress WireAddress::of(const Address& address) {
  WireAddress wire;
  std::memcpy(wire.bytes.data(), &address.storage, std::min<std::size_t>(address.length, wire.bytes.size()));
  return wire;
}

Address WireAddress::address() const {
  Address address;
  std::memcpy(&address.storage, bytes.data(), bytes.size());
  address.length = address.storage.ss_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  return address;
}

int version_code() { return static_cast<int>(Scenario::get().number("nccl_version", {}, 22705)); }

Result own_address(Address& address) {
  const auto interfaces = find_interfaces();
  if (interfaces.empty()) {
    const char* id = std::getenv("NCCL_COMM_ID");
    if (id != nullptr) {
      warn("bootstrap.cc:108", "NET/Socket : No usable listening interface found");
      return kSystemError;
    }
    warn("bootstrap.cc:115", "Bootstrap : no socket interface found");
    return version_code() >= 22700 ? kInvalidUsage : kInternalError;
  }
  address = interfaces.front().address;
  auto text = address.text();
  info(Subsystem::Init,
       (version_code() >= 22700 ? "Bootstrap: Using " : "Bootstrap : Using ") + interfaces.front().name + ":" + text);
  return kSuccess;
}

Result make_unique_id(UniqueId& id) {
  id = {};
  const char* fixed = std::getenv("NCCL_COMM_ID");
  Address address;
  std::uint64_t magic = 0xabcdef0123456789ULL;
  if (fixed != nullptr) {
    info(Subsystem::Env, std::string("NCCL_COMM_ID set by environment to ") + fixed);
    address = address_from(fixed);
    if (address.length == 0) {
      warn("bootstrap.cc:400",
           std::string(
               "Invalid NCCL_COMM_ID, please use format: <ipv4>:<port> or [<ipv6>]:<port> or <hostname>:<port>"));
      return kInvalidArgument;
    }
  } else {
    if (const auto result = own_address(address); result != kSuccess) return result;
    std::random_device random;
    magic = (std::uint64_t{random()} << 32) | random();
    auto* root = new Root;
    root->magic = magic;
    if (const auto result = listen_on(address, root->listener); result != kSuccess) return result;
    address = root->listener.address;
    std::thread([root] {
      root->run();
      delete root;
    }).detach();
  }
  std::memcpy(id.bytes.data(), &magic, sizeof magic);
  std::memcpy(id.bytes.data() + 8, &address.storage, std::min<std::size_t>(address.length, sizeof(sockaddr_in6)));
  return kSuccess;
}

Result join_ring(const UniqueId& id, int rank, int nranks, const Stop& stop, Ring& ring) {
  ring.rank = rank;
  ring.nranks = nranks;
  std::memcpy(&ring.magic, id.bytes.data(), sizeof ring.magic);
  WireAddress wire;
  std::memcpy(wire.bytes.data(), id.bytes.data() + 8, wire.bytes.size());

  Address own;
  Listener from_root, from_prev;
  if (const auto result = own_address(own); result != kSuccess) return result;
  if (const auto result = listen_on(own, from_prev); result != kSuccess) return result;
  if (const auto result = listen_on(own, from_root); result != kSuccess) return result;
  if (nranks == 1) return kSuccess;
  {
    Socket to_root;
    if (const auto result = connect_to(wire.address(), ring.magic, stop, to_root); result != kSuccess) return result;
    CheckInWithRoots info;
    info.rank = rank;
    info.nranks = nranks;
    info.from_root = WireAddress::of(from_root.address);
    const auto address = WireAddress::of(from_prev.address);
    std::memcpy(info.ring.data(), address.bytes.data(), address.bytes.size());
    const CheckIn old{rank, nranks, info.from_root, address};
    const auto result = several_roots() ? send_message(to_root, &info, sizeof info, stop)
                                        : send_message(to_root, &old, sizeof old, stop);
    if (result != kSuccess) return result;
  }
  std::array<unsigned char, 128> next{};
  {
    Socket root;
    if (const auto result = accept_from(from_root, ring.magic, stop, root); result != kSuccess) return result;
    const int bytes = several_roots() ? 128 : static_cast<int>(sizeof(WireAddress));
    if (const auto result = receive_message(root, next.data(), bytes, stop); result != kSuccess) return result;
  }
  WireAddress next_address;
  std::memcpy(next_address.bytes.data(), next.data(), next_address.bytes.size());
  if (const auto result = connect_to(next_address.address(), ring.magic, stop, ring.next); result != kSuccess)
    return result;
  return accept_from(from_prev, ring.magic, stop, ring.prev);
}

Result gather(Ring& ring, std::vector<PeerInfo>& peers, const Stop& stop) {
  // The struct grew with these releases; a longer message than expected is refused, a shorter one is taken.
  int bytes = sizeof(PeerInfo);
  for (const int grew : {21800, 22100, 22304, 22700, 23000})
    if (version_code() >= grew) bytes += 8;
  std::vector<unsigned char> out(static_cast<std::size_t>(bytes)), in(out.size());
  for (int step = 0; step + 1 < ring.nranks; ++step) {
    const auto slot = [&](int back) {
      return static_cast<std::size_t>((ring.rank - back + ring.nranks) % ring.nranks);
    };
    std::memcpy(out.data(), &peers[slot(step)], sizeof(PeerInfo));
    if (const auto result = send_message(ring.next, out.data(), bytes, stop); result != kSuccess) return result;
    if (const auto result = receive_message(ring.prev, in.data(), bytes, stop); result != kSuccess) return result;
    std::memcpy(&peers[slot(step + 1)], in.data(), sizeof(PeerInfo));
  }
  return kSuccess;
}

}  // namespace rollcall::doubles
