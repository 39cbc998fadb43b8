#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "kube/client.h"

namespace rollcall::kube {

/// How a reflector fares, for metrics and /readyz.
struct WatchHealth {
  bool synced = false;
  std::uint64_t lists = 0;                        ///< complete ones
  std::uint64_t watches = 0;                      ///< started
  std::uint64_t events = 0;                       ///< without bookmarks
  std::map<std::string, std::uint64_t> restarts;  ///< by reason: reflector_policy.h
  std::uint64_t callback_failures = 0;            ///< exceptions that a callback let out
  std::string last_error;                         ///< of the last restart that was not in good order
};

/// Keeps one list of objects in step with the API server: list, watch with bookmarks, 410 → list anew, 429 and refusals
/// → back-off with the same resourceVersion, a random server time-out of 5 to 10 min. Calls back on its own thread.
class Reflector {
 public:
  struct Callbacks {
    /// Added or changed; `metadata.managedFields` is dropped. A new list repeats objects that have not changed.
    std::function<void(const Json& object)> upsert;
    /// Deleted, also one a new list lacks; before `upsert` of another object (uid) of the same name.
    std::function<void(const std::string& ns, const std::string& name, const std::string& uid)> removed;
    std::function<void()> synced;  ///< after each complete list
  };

  /// `client` must outlive it. `ns` empty: all namespaces. `selectors`: labelSelector, fieldSelector.
  Reflector(Client& client, Resource resource, std::string ns, std::map<std::string, std::string> selectors,
            Callbacks callbacks);
  ~Reflector();  ///< stops and joins
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  void start();  ///< once
  /// Returns when no callback runs any more: within 100 ms, or the client's deadline when a list is under way. Not from
  /// a callback.
  void stop();
  /// A complete list has been handed over.
  bool synced() const;
  WatchHealth health() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rollcall::kube
