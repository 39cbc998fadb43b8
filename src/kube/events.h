#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "kube/client.h"

namespace rollcall::kube {

struct EventTarget {
  std::string api_version, kind, namespace_name, name, uid;
};

/// Writes Kubernetes events from a thread of its own: never blocks, drops the oldest above 1,000 waiting, counts
/// repeats of the same event instead of writing new ones, combines more than 10 of a kind within 10 min, and lets one
/// object have 25 at once and one more each 5 min. An event's name follows from its content, so that a request sent
/// twice makes one event.
class EventRecorder {
 public:
  /// `client` must outlive it. `component` names the program.
  EventRecorder(Client& client, std::string component);
  /// Writes what waits for at most 2 s, then drops it.
  ~EventRecorder();
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  /// `type` is Normal or Warning; `reason` CamelCase. Messages are cut at 1,024 bytes.
  void record(const EventTarget& target, const std::string& type, const std::string& reason,
              const std::string& message);

  /// Waits until all that was recorded before is written or dropped; false when that took longer.
  bool flush(std::chrono::milliseconds longest);
  /// Events lost: too many waiting, too many for one object, or refused by the API server.
  std::uint64_t dropped() const;
  /// Why the last one was lost; empty if none was.
  std::string last_error() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rollcall::kube
