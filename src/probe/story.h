#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"
#include "roll_call/messages.h"

namespace rollcall::probe {

/// Decides what of the desk's words goes into the log: each new stage, step or sentence at once, and every 30 s whom
/// the probe waits for. A sentence that differs only in its numbers (seconds, costs) is not new.
class Story {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  std::optional<std::string> heard(const roll_call::Instruction& instruction, TimePoint now);
  /// The desk could not be reached, or refused. `since` is when it was last heard, or the probe's start.
  std::optional<std::string> failed(const Error& error, const std::string& desk, TimePoint since, TimePoint now);

 private:
  std::optional<std::string> tell(const std::string& key, std::string line, TimePoint now);

  std::string last_key_;
  TimePoint last_told_{};
};

}  // namespace rollcall::probe
