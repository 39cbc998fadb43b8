#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "kube/client.h"
#include "kube/reflector.h"
#include "webhook/runtimes/runtime_book.h"

namespace rollcall::webhook {

/// Keeps the runtime book in step with the cluster where Kubeflow Trainer is installed, and finds out when it is: a
/// cluster without it is an ordinary one. Asks the API server's discovery, which everybody may; watches what is served.
/// One thread of its own, beside those of its watches.
class RuntimeWatch {
 public:
  struct Options {
    /// How long a Trainer that was installed or removed can go unnoticed: TrainJobs are judged without their runtime
    /// meanwhile, which finds less and nothing wrong.
    std::chrono::milliseconds look_every = std::chrono::seconds(30);
    /// Told when the kinds begin or cease to be served; on the watch's thread.
    std::function<void(bool served)> on_change = {};
  };

  /// Both must outlive it.
  RuntimeWatch(kube::Client& client, RuntimeBook& book, Options options);
  ~RuntimeWatch();  ///< stops and joins
  RuntimeWatch(const RuntimeWatch&) = delete;
  RuntimeWatch& operator=(const RuntimeWatch&) = delete;

  void start();  ///< once
  /// Returns when no callback runs any more: at most the client's deadline.
  void stop();
  /// Of the cluster's runtimes and the namespaces' together.
  kube::WatchHealth health() const;

 private:
  void run();
  void look();
  std::unique_ptr<kube::Reflector> watch(const std::string& kind, const std::string& plural, bool namespaced);

  kube::Client& client_;
  RuntimeBook& book_;
  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  std::unique_ptr<kube::Reflector> clusters_, namespaces_;  ///< nullptr = not served
  std::thread thread_;
};

}  // namespace rollcall::webhook
