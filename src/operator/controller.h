#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kube/events.h"
#include "kube/queue.h"
#include "operator/desk_reference.h"
#include "operator/held_clock.h"
#include "operator/jobs.h"
#include "operator/metrics.h"

namespace rollcall::operator_ {

/// Looks at each job of which something changed, and does what reconcile() says. Nothing is done before the caches are
/// complete, because a pod that is not listed yet would look lost, before the desk was looked up, because a job would
/// be told that it is missing, and before lead(): a standby keeps its caches warm and its queue empty.
class Controller {
 public:
  /// `namespaces`: see Jobs; `rules_refuse`: see Observed.
  Controller(kube::Client& client, DeskReference& desk, Metrics& metrics, const std::vector<std::string>& namespaces,
             bool rules_refuse);
  ~Controller();  ///< stops and joins
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  void start();            ///< the caches
  void lead(int workers);  ///< once
  /// No new looks; returns when those under way have ended. Events that wait are written. Repeatable.
  void stop();
  bool synced() const { return jobs_.synced(); }

 private:
  void register_metrics();
  void changed(const std::string& key);
  /// Counts what a RollCall's verdict or end says, once this process leads.
  void note(const api::RollCall& before, const api::RollCall& now);
  void note_held();
  void work();
  LookResult look_at(const std::string& key);
  bool details_can_wait(const std::string& key, const Observed& observed, const Decision& decision,
                        std::chrono::milliseconds& wait);

  kube::Client& client_;
  DeskReference& desk_;
  Metrics& metrics_;
  const bool rules_refuse_;
  kube::EventRecorder events_;
  kube::WorkQueue queue_;
  std::mutex mutex_;
  std::map<std::string, std::chrono::steady_clock::time_point> written_;  ///< last write of a status, by key
  std::optional<HeldClock> held_;                                         ///< since this process leads
  std::atomic<bool> leading_{false};
  Jobs jobs_;
  std::vector<std::jthread> workers_;
};

}  // namespace rollcall::operator_
