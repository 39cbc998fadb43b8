#include "doubles/nccl/communicator.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "doubles/nccl/log.h"
#include "doubles/scenario/scenario.h"

namespace rollcall::doubles {
namespace {

/// NCCL makes files in /dev/shm while ranks attach to each other, and unlinks them then. Killed meanwhile, they stay.
class SharedMemoryFile {
 public:
  SharedMemoryFile() {
    const int fd = mkstemp(path_.data());
    if (fd < 0) {
      path_.clear();
      return;
    }
    // Whose it is, for tests that look for what a process left.
    dprintf(fd, "%d\n", getpid());
    close(fd);
  }
  ~SharedMemoryFile() {
    if (!path_.empty()) unlink(path_.c_str());
  }
  SharedMemoryFile(const SharedMemoryFile&) = delete;
  SharedMemoryFile& operator=(const SharedMemoryFile&) = delete;

 private:
  std::string path_ = "/dev/shm/nccl-XXXXXX";
};

std::uint64_t host_hash() {
  if (const char* given = std::getenv("NCCL_HOSTID"); given != nullptr) return hash_of(given);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return hash_of(node_name() + boot);
}

template <std::size_t N>
void put(std::array<char, N>& to, const std::string& text) {
  std::memcpy(to.data(), text.data(), std::min(text.size(), N - 1));
}

/// The scenario's error of a step, kSuccess = none.
Result injected(std::string_view step, const Where& where) {
  const auto& scenario = Scenario::get();
  if (!scenario.lists("error_in", step, where)) return kSuccess;
  if (const auto text = scenario.text("error_text", where)) warn("transport.cc:1", *text);
  return static_cast<Result>(scenario.number("error", where, kRemoteError));
}

}  // namespace

struct Communicator::Work {
  Communicator* comm;
  const void* from;
  void* to;
  std::size_t count;
  Reduction reduction;
};

Communicator::Communicator(const UniqueId& id, int rank, int nranks, Device device, std::string net_name, bool blocking)
    : id_(id), device_(std::move(device)), net_name_(std::move(net_name)), blocking_(blocking) {
  ring_.rank = rank;
  ring_.nranks = nranks;
}

Where Communicator::where() const {
  Where here{.gpu = device_.index, .rank = ring_.rank};
  if (!peers_.empty()) here.peer_node = peers_[static_cast<std::size_t>((ring_.rank + 1) % ring_.nranks)].node.data();
  return here;
}

Result Communicator::start() {
  if (blocking_) {
    state_ = join();
    return state();
  }
  std::thread([this] {
    const auto result = join();
    // An aborted communicator has nobody left who would ask.
    if (!stop_) state_ = result;
  }).detach();
  return kInProgress;
}

Result Communicator::join() {
  set_log_device(device_.index);
  const SharedMemoryFile file;
  info(Subsystem::Init, "ncclCommInitRank comm 0x55cd1a0ba7b0 rank " + std::to_string(ring_.rank) + " nranks " +
                            std::to_string(ring_.nranks) + " cudaDev " + std::to_string(device_.index) +
                            " - Init START");
  enter("ncclCommInitRank", where());
  if (const auto result = injected("ncclCommInitRank", where()); result != kSuccess) return result;
  if (const auto result = choose_network(device_.index, ring_.rank, net_name_, network_); result != kSuccess)
    return result;
  const int rank = ring_.rank, nranks = ring_.nranks;
  if (const auto result = join_ring(id_, rank, nranks, stop_, ring_); result != kSuccess) return result;

  Address own;
  if (const auto result = own_address(own); result != kSuccess) return result;
  if (const auto result = listen_on(own, data_listener_); result != kSuccess) return result;
  std::vector<PeerInfo> peers(static_cast<std::size_t>(nranks));
  auto& mine = peers[static_cast<std::size_t>(rank)];
  mine.version = version_code();
  mine.device = device_.index;
  mine.host_hash = host_hash();
  put(mine.node, node_name());
  put(mine.uuid, device_.uuid);
  put(mine.pci, device_.pci);
  mine.data = WireAddress::of(data_listener_.address);
  if (const auto result = gather(ring_, peers, stop_); result != kSuccess) return result;
  peers_ = std::move(peers);
  if (const auto result = check_peers(); result != kSuccess) return result;
  // Since 2.22 rings are connected by the first collective.
  if (version_code() < 22200)
    if (const auto result = connect_data(); result != kSuccess) return result;
  info(Subsystem::Init, "ncclCommInitRank comm 0x55cd1a0ba7b0 rank " + std::to_string(rank) + " nranks " +
                            std::to_string(nranks) + " cudaDev " + std::to_string(device_.index) + " - Init COMPLETE");
  return kSuccess;
}

Result Communicator::check_peers() {
  const auto& own = peers_[static_cast<std::size_t>(ring_.rank)];
  for (int i = 0; i < ring_.nranks; ++i) {
    const auto& peer = peers_[static_cast<std::size_t>(i)];
    if (peer.version != own.version && version_code() >= 22304) {
      warn("init.cc:729", "Mismatched NCCL version detected : rank " + std::to_string(i) + " version " +
                              std::to_string(peer.version) + " rank " + std::to_string(ring_.rank) + " version " +
                              std::to_string(own.version));
      return kInvalidUsage;
    }
    if (i != ring_.rank && peer.host_hash == own.host_hash && peer.pci == own.pci && device_.index >= 0) {
      warn("init.cc:737", "Duplicate GPU detected : rank " + std::to_string(ring_.rank) + " and rank " +
                              std::to_string(i) + " both on CUDA device " + own.pci.data());
      return kInvalidUsage;
    }
  }
  return kSuccess;
}

Result Communicator::connect_data() {
  connected_ = true;
  if (ring_.nranks > 1) {
    const auto next = static_cast<std::size_t>((ring_.rank + 1) % ring_.nranks);
    if (const auto result = connect_to(peers_[next].data.address(), ring_.magic, stop_, data_next_); result != kSuccess)
      return result;
    if (const auto result = accept_from(data_listener_, ring_.magic, stop_, data_prev_); result != kSuccess)
      return result;
  }
  speed_ = link_speed(network_, peers_, ring_.rank);
  log_topology(network_, peers_, ring_.rank);
  return kSuccess;
}

Result Communicator::all_reduce(const void* from, void* to, std::size_t count, Reduction reduction, void* stream) {
  if (state() != kSuccess) {
    warn("init.cc:1800", "Attempt to use communicator before the previous operation returned ncclSuccess");
    return kInvalidArgument;
  }
  auto* work = new Work{this, from, to, count, reduction};
  const auto launch = [work, stream] {
    return enqueue(
        stream,
        [](void* argument) {
          const std::unique_ptr<Work> owned(static_cast<Work*>(argument));
          auto& comm = *owned->comm;
          set_log_device(comm.device_.index);
          if (const auto result = comm.run(*owned); result != kSuccess) {
            if (!comm.stop_) comm.state_ = result;
            // A kernel whose peer is gone spins until the communicator is aborted.
            while (!comm.stop_.load()) usleep(5000);
            return 0.0;
          }
          return comm.modelled_seconds(owned->count);
        },
        work);
  };
  if (connected_) return launch() ? kSuccess : kUnhandledCudaError;
  if (blocking_) {
    if (const auto result = connect_data(); result != kSuccess) return result;
    return launch() ? kSuccess : kUnhandledCudaError;
  }
  state_ = kInProgress;
  std::thread([this, launch] {
    set_log_device(device_.index);
    auto result = connect_data();
    if (result == kSuccess && !launch()) result = kUnhandledCudaError;
    // The work may have failed already; its error stays.
    int expected = kInProgress;
    if (!stop_) state_.compare_exchange_strong(expected, result);
  }).detach();
  return kInProgress;
}

double Communicator::modelled_seconds(std::size_t count) const {
  // The scenario's own figure, whatever the size: a small message is all latency, a large one all bandwidth.
  constexpr double kSmall = 64 << 10;
  const double bytes = static_cast<double>(count) * 4, n = nranks();
  return bytes <= kSmall ? speed_.latency : bytes * 2 * (n - 1) / n / (speed_.bus_gbytes * 1e9);
}

void Communicator::abort() { stop_ = true; }

Result Communicator::run(const Work& work) {
  enter("ncclAllReduce", where());
  if (const auto result = injected("ncclAllReduce", where()); result != kSuccess) return result;
  auto* own = static_cast<std::int32_t*>(work.to);
  if (work.from != work.to) std::memcpy(work.to, work.from, work.count * 4);
  if (Scenario::get().flag("wrong_sum", where()) && work.count > 0) own[work.count / 2] ^= 1 << 16;
  const int n = ring_.nranks;
  if (n == 1) return kSuccess;

  // What the ring agrees on first: sizes must be the same, and the slowest link sets everybody's pace.
  struct Pace {
    std::uint64_t count;
    double bus_gbytes, latency;
  };
  Pace mine{work.count, speed_.bus_gbytes, speed_.latency};
  for (int step = 0; step + 1 < n; ++step) {
    Pace theirs{};
    if (const auto result = exchange(data_next_, &mine, sizeof mine, data_prev_, &theirs, sizeof theirs, stop_);
        result != kSuccess)
      return result;
    if (theirs.count != work.count) {
      warn("net_socket.cc:561",
           "NET/Socket : message truncated : receiving " + std::to_string(theirs.count * 4) + " bytes instead of " +
               std::to_string(work.count * 4) +
               ". If you believe your socket network is in a healthy state, there may be a mismatch in collective "
               "sizes or environment settings (e.g. NCCL_PROTO, NCCL_ALGO) between ranks");
      return kInvalidUsage;
    }
    mine.bus_gbytes = std::min(mine.bus_gbytes, theirs.bus_gbytes);
    mine.latency = std::max(mine.latency, theirs.latency);
  }
  speed_ = {mine.bus_gbytes, mine.latency};

  const auto from = [&](int chunk) {
    return work.count * static_cast<std::size_t>(chunk) / static_cast<std::size_t>(n);
  };
  const auto chunk = [&](int back) { return ((ring_.rank - back) % n + n) % n; };
  std::vector<std::int32_t> in(work.count / static_cast<std::size_t>(n) + 1);
  for (int step = 0; step < 2 * (n - 1); ++step) {
    const bool reduces = step < n - 1;
    const int out_chunk = reduces ? chunk(step) : chunk(step - n);
    const int in_chunk = reduces ? chunk(step + 1) : chunk(step - n + 1);
    const auto out_count = from(out_chunk + 1) - from(out_chunk), in_count = from(in_chunk + 1) - from(in_chunk);
    auto* target = own + from(in_chunk);
    const auto result =
        exchange(data_next_, own + from(out_chunk), out_count * 4, data_prev_, in.data(), in_count * 4, stop_);
    if (result != kSuccess) return result;
    for (std::size_t i = 0; i < in_count; ++i) {
      if (!reduces) {
        target[i] = in[i];
      } else if (work.reduction == Reduction::Sum) {
        target[i] =
            static_cast<std::int32_t>(static_cast<std::uint32_t>(target[i]) + static_cast<std::uint32_t>(in[i]));
      } else {
        target[i] = work.reduction == Reduction::Min ? std::min(target[i], in[i]) : std::max(target[i], in[i]);
      }
    }
  }
  return kSuccess;
}

}  // namespace rollcall::doubles
