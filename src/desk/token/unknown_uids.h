#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <unordered_map>

#include "roll_call/desk.h"

namespace rollcall::desk {

/// When each pod uid that is in no roster was first heard of. Not thread-safe.
class UnknownUids {
 public:
  using TimePoint = roll_call::TimePoint;

  /// Entries kept. Signed tokens alone come here, so it takes this many real pods to fill it; further uids are not
  /// recorded, and what is not recorded is told to ask again.
  static constexpr std::size_t kMaxEntries = 10'000;
  /// After this silence a uid counts as new: its pod may have been taken into a roster and left it meanwhile.
  static constexpr std::chrono::minutes kForget{10};

  /// Records the uid when it is new. nullopt = the table is full.
  std::optional<TimePoint> first_heard(const std::string& uid, TimePoint now);
  void forget(const std::string& uid) { entries_.erase(uid); }
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    TimePoint first, last;
  };
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace rollcall::desk
