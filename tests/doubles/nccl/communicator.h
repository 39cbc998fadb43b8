#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "doubles/nccl/bootstrap.h"
#include "doubles/nccl/cuda.h"
#include "doubles/nccl/network.h"
#include "doubles/scenario/scenario.h"

/// One communicator: joins in a thread of its own, then all-reduces over a ring of TCP connections. The caller's thread
/// asks `state`. Never freed: work on a stream may still hold it when the caller has given up.
namespace rollcall::doubles {

enum class Reduction { Sum, Min, Max };

class Communicator {
 public:
  Communicator(const UniqueId& id, int rank, int nranks, Device device, std::string net_name, bool blocking);

  /// Blocking communicators: the result of the join. Others: kInProgress.
  Result start();
  Result state() const { return static_cast<Result>(state_.load()); }
  Result all_reduce(const void* from, void* to, std::size_t count, Reduction reduction, void* stream);
  void abort();
  int rank() const { return ring_.rank; }
  int nranks() const { return ring_.nranks; }
  Device device() const { return device_; }

 private:
  struct Work;
  Result join();
  Result check_peers();
  Result connect_data();
  Result run(const Work& work);
  double modelled_seconds(std::size_t count) const;
  Where where() const;

  UniqueId id_;
  Device device_;
  std::string net_name_;
  bool blocking_;
  Stop stop_{false};
  std::atomic<int> state_{kInProgress};
  Ring ring_;
  Network network_;
  std::vector<PeerInfo> peers_;
  Listener data_listener_;
  Socket data_next_, data_prev_;
  Speed speed_;
  bool connected_ = false;
};

}  // namespace rollcall::doubles
