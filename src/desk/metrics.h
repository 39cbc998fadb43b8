#pragma once

#include <memory>
#include <string>

#include "desk/service.h"
#include "kube/reflector.h"
#include "serve/server.h"

namespace rollcall::desk {

/// The desk's numbers, in Prometheus' text form. Any thread.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// Hooks for a Service; valid while this lives.
  Numbers numbers();
  void certificate_read(bool good);

  // What others count is taken over when it is asked for.
  void take(const Service::Figures& figures);
  void take(const serve::Counters& counters, int open_connections);
  void take(const std::string& resource, const kube::WatchHealth& health);

  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rollcall::desk
