#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "kube/client.h"

namespace rollcall::kube {

/// Keeps one list of objects in step with the API server: list, watch with bookmarks, 410 → list anew, 429 and refusals
/// → back-off with the same resourceVersion, a random server time-out of 5 to 10 min. Calls back on its own thread.
class Reflector {
 public:
  struct Callbacks {
    std::function<void(const Json& object)> upsert;  ///< added or changed
    std::function<void(const std::string& ns, const std::string& name, const std::string& uid)>
        removed;                   ///< deleted, also one a new list lacks
    std::function<void()> synced;  ///< after each complete list
  };

  Reflector(Client& client, Resource resource, std::string ns, std::map<std::string, std::string> selectors,
            Callbacks callbacks);
  ~Reflector();  ///< stops and joins
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  void start();
  void stop();
  bool synced() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rollcall::kube
