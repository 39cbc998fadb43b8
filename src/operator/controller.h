#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "kube/events.h"
#include "kube/queue.h"
#include "operator/desk_reference.h"
#include "operator/jobs.h"
#include "operator/metrics.h"

namespace rollcall::operator_ {

/// Looks at each job of which something changed, and does what reconcile() says. Nothing is done before the caches are
/// complete, because a pod that is not listed yet would look lost.
class Controller {
 public:
  Controller(kube::Client& client, DeskReference& desk, Metrics& metrics);
  ~Controller();  ///< stops and joins
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  void start(int workers);
  void stop();
  bool synced() const { return jobs_.synced(); }
  /// Brings the gauges up to date.
  void measure() const;

 private:
  void work();
  void look_at(const std::string& key);
  bool details_can_wait(const std::string& key, const Observed& observed, const Decision& decision,
                        std::chrono::milliseconds& wait);

  kube::Client& client_;
  DeskReference& desk_;
  Metrics& metrics_;
  kube::EventRecorder events_;
  kube::WorkQueue queue_;
  std::mutex mutex_;
  std::map<std::string, std::chrono::steady_clock::time_point> written_;  ///< last write of a status, by key
  Jobs jobs_;
  std::vector<std::jthread> workers_;
};

}  // namespace rollcall::operator_
