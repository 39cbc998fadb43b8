#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "probe/children/setup.h"
#include "probe/facts/devices.h"
#include "probe/log.h"

namespace rollcall::probe {

/// The job's image as its programs find it in this round: the environment after exports and setup, and what can be read
/// of devices and libraries with it. Each is made when it is first asked for, and stands until the round ends. Any
/// thread; one makes it while others wait.
class JobImage {
 public:
  JobImage(const Settings& settings, Log& log);

  /// nullopt when cancelled meanwhile.
  std::optional<JobEnvironment> environment(const Wake& cancel);
  /// As far as it could be read; `trouble` says what is missing. nullopt when cancelled meanwhile.
  struct Devices {
    DeviceFacts facts;
    std::string trouble;
  };
  std::optional<Devices> devices(const Wake& cancel);

  /// This program's own path, and those that the installer put next to it.
  const std::string& self() const { return self_; }
  std::string child_program() const;
  std::string bundled_nccl() const;

 private:
  std::string next_to_self(const char* name) const;

  const Settings& settings_;
  Log& log_;
  const std::string self_;

  std::mutex environment_mutex_;
  std::optional<JobEnvironment> environment_;
  std::mutex devices_mutex_;
  std::optional<Devices> devices_;
};

}  // namespace rollcall::probe
