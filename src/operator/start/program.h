#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "kube/client.h"
#include "kube/leader/elector.h"
#include "operator/controller.h"
#include "operator/desk_reference.h"
#include "operator/leader_client.h"
#include "operator/metrics.h"
#include "operator/options.h"
#include "operator/upkeep.h"
#include "serve/server.h"

/// The program's parts in the order they are made, and the steps that make them: each done, or an Error that says why
/// not.
namespace rollcall::operator_ {

struct Program {
  Options options;
  sigset_t signals{};
  Metrics metrics;
  std::unique_ptr<kube::Client> client;
  std::unique_ptr<kube::Client> lease_client;  ///< its own: short deadlines, no rate limit
  std::unique_ptr<kube::Elector> elector;      ///< null with --leader-elect=false
  std::unique_ptr<LeaderClient> acting;        ///< what everything else uses
  std::unique_ptr<DeskReference> desk;
  std::unique_ptr<Controller> controller;
  std::unique_ptr<Upkeep> upkeep;
  std::unique_ptr<serve::Server> health, metrics_server;

  std::mutex duty;                   ///< leading begins whole, or not at all once the end has begun
  bool ending = false;               ///< under `duty`
  std::atomic<bool> ready{true};     ///< false from the end on
  std::atomic<bool> trusted{false};  ///< as leader: the certificates stand
  /// After the end has begun, when the last write may go out; on the steady clock.
  std::atomic<std::chrono::steady_clock::time_point> last_write{std::chrono::steady_clock::time_point::max()};

  bool leading() const { return !elector || elector->leading(); }
  bool may_write() const { return leading() && std::chrono::steady_clock::now() < last_write.load(); }
};

Status block_signals(Program& program);  ///< before the first thread, so that all inherit it
Status connect_clients(Program& program);
Status make_elector(Program& program);
Status make_parts(Program& program);
Status start_caches(Program& program);
Status start_endpoints(Program& program);
/// Asks for the lease; who gets it begins to act, at once or hours later.
Status stand_for_election(Program& program);
Status wait_for_signal(Program& program);
/// Not ready, no new work, then the lease is given back: the other acts within a second or two.
Status end(Program& program);

}  // namespace rollcall::operator_
