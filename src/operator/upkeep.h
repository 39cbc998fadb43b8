#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "kube/client.h"
#include "kube/reflector.h"
#include "operator/desk_reference.h"
#include "operator/trust/ca_bundle.h"
#include "operator/trust/store.h"
#include "telemetry/log.h"

namespace rollcall::operator_ {

/// What the leader keeps in order beside the jobs: the certificates of desk and webhook, the webhook configuration's
/// trust in them, and what pods are told of the desk. Looks each minute, after a failure each 5 s, and at once (but
/// not more often than each second) when the webhook configuration was changed. Any thread.
class Upkeep {
 public:
  struct Settings {
    std::string ns;
    std::vector<TlsServer> servers;  ///< the desk first
    Lifetimes lifetimes = {};
    bool external = false;       ///< others keep the Secrets; they are read and never written
    bool keep_ca_bundle = true;  ///< false where cert-manager injects it
    std::vector<std::string> configurations;
    WebhookService webhook;
    std::function<WallTime()> now;
  };

  /// `kept` is told what stands after each look that succeeded, on the thread of the look.
  Upkeep(kube::Client& client, DeskReference& desk, Settings settings, std::function<void(const Trust&)> kept = {});
  ~Upkeep();  ///< stops and joins
  Upkeep(const Upkeep&) = delete;
  Upkeep& operator=(const Upkeep&) = delete;

  /// One look, blocking; the first of what could not be brought in order. The rest is done all the same.
  Status look();
  void start();

 private:
  Status keep_configurations(const std::string& bundle);
  void watch_configurations();
  void run(const std::stop_token& stop);
  void wake();

  kube::Client& client_;
  DeskReference& desk_;
  const Settings settings_;
  const std::function<void(const Trust&)> kept_;
  log::Sparingly mended_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool woken_ = false;
  std::string bundle_;                                     ///< of the last look; what configurations should trust
  std::vector<std::unique_ptr<kube::Reflector>> watches_;  ///< before the thread: it ends first
  std::jthread thread_;
};

}  // namespace rollcall::operator_
