#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "probe/net/wake.h"
#include "probe/support/certificates.h"
#include "probe/support/tls_server.h"
#include "roll_call/desk.h"

namespace rollcall::range {

struct DeskOptions {
  int nodes = 3;
  std::function<std::string(int node)> address;
  std::function<void(api::RollCallSpec&)> spec;  ///< changes it before the roll call begins; may be empty
  /// The desk's clock runs so many times as fast as ours: its deadlines come sooner, a probe's own do not.
  double speed = 1;
  /// Hears each order just before it is sent, on the connection's thread; may be empty.
  std::function<void(int node, const roll_call::Instruction&)> on_order;
};

/// The desk's state machine behind TLS, as the probes meet it: one lock, replies held while the order is Wait, a
/// verdict is stored at once. Node i is named gpu-i. The API server, tokens' review and leases are not part of it. Any
/// thread.
class RangeDesk {
 public:
  /// In the calling thread's network namespace.
  explicit RangeDesk(DeskOptions options);
  ~RangeDesk();

  int port() const { return server_->port(); }
  /// The environment a probe needs to find this desk at `address`.
  std::map<std::string, std::string> environment(int node, const std::string& address) const;
  api::RollCallStatus status() const;
  /// Waits until the desk has been told something new, `limit` at most.
  void wait_for_news(std::chrono::milliseconds limit) const;

 private:
  roll_call::TimePoint now() const;
  void hear(const roll_call::Event& event);
  std::string reply(const probe::testing::HttpRequest& request);

  const DeskOptions options_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  const roll_call::TimePoint wall_;
  probe::testing::KeyPair authority_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable std::condition_variable news_;
  std::uint64_t told_ = 0;
  std::unique_ptr<roll_call::Desk> desk_;
  probe::Wake stop_;
  std::thread ticker_;
  std::unique_ptr<probe::testing::TlsServer> server_;
};

}  // namespace rollcall::range
