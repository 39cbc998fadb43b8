#pragma once

#include <memory>
#include <string>

#include "kube/client.h"

namespace rollcall::kube {

struct EventTarget {
  std::string api_version, kind, namespace_name, name, uid;
};

/// Writes Kubernetes events from a thread of its own: never blocks, drops the oldest above 1,000 waiting, counts
/// repeats of the same event instead of writing new ones.
class EventRecorder {
 public:
  EventRecorder(Client& client, std::string component);
  ~EventRecorder();
  /// `type` is Normal or Warning; `reason` CamelCase.
  void record(const EventTarget& target, const std::string& type, const std::string& reason,
              const std::string& message);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rollcall::kube
