#include "desk/token/unknown_uids.h"

namespace rollcall::desk {

std::optional<UnknownUids::TimePoint> UnknownUids::first_heard(const std::string& uid, TimePoint now) {
  auto it = entries_.find(uid);
  if (it == entries_.end() || now - it->second.last > kForget) {
    if (it == entries_.end() && entries_.size() >= kMaxEntries) {
      std::erase_if(entries_, [&](const auto& entry) { return now - entry.second.last > kForget; });
      if (entries_.size() >= kMaxEntries) return std::nullopt;
    }
    entries_[uid] = {now, now};
    return now;
  }
  it->second.last = now;
  return it->second.first;
}

}  // namespace rollcall::desk
