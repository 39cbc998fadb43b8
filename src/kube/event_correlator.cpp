#include "kube/event_correlator.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace rollcall::kube {

namespace {

/// Of an event's name, which may have 253 characters: room for the hash.
constexpr std::size_t kLongestTarget = 200;

/// FNV-1a. Not for keeping enemies apart: a collision would count two events as one.
std::uint64_t hash(const std::string& text) {
  std::uint64_t value = 14695981039346656037ULL;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return value;
}

std::string hex(std::uint64_t value) {
  std::string out(16, '0');
  for (auto digit = out.rbegin(); digit != out.rend(); ++digit, value >>= 4) *digit = "0123456789abcdef"[value & 15];
  return out;
}

/// Drops entries that `old` accepts; above the limit, all that are older than half of the rest.
template <typename Map, typename Old, typename When>
void shrink(Map& map, std::size_t most, const Old& old, const When& when) {
  std::erase_if(map, old);
  if (map.size() <= most) return;
  std::vector<EventCorrelator::TimePoint> times;
  for (const auto& entry : map) times.push_back(when(entry.second));
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  std::erase_if(map, [&](const auto& entry) { return when(entry.second) < *middle; });
}

}  // namespace

std::string cut_text(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

void EventCorrelator::forget_old(TimePoint now) {
  if (events_.size() <= kMost && groups_.size() <= kMost && buckets_.size() <= kMost) return;
  shrink(
      events_, kMost, [&](const auto& e) { return now - e.second.last > kRemember; },
      [](const Known& k) { return k.last; });
  shrink(
      groups_, kMost, [&](const auto& e) { return now - e.second.since > kSimilarIn; },
      [](const Group& g) { return g.since; });
  shrink(
      buckets_, kMost, [&](const auto& e) { return now - e.second.at > kBurst * kRefill; },
      [](const Bucket& b) { return b.at; });
}

EventCorrelator::Seen EventCorrelator::see(const std::string& target_name, const std::string& uid,
                                           const std::string& type, const std::string& reason,
                                           const std::string& message, TimePoint now) {
  forget_old(now);
  Seen out;
  out.message = message;
  std::string identity = uid + '\n' + type + '\n' + reason;

  auto& group = groups_[identity];
  if (now - group.since > kSimilarIn) group = Group{{}, now};
  group.messages.insert(hash(message));
  if (group.messages.size() > kSimilar) {
    out.message = "(combined from similar events): " + message;
    group.messages.erase(std::prev(group.messages.end()));  // one above the limit says enough
  } else {
    identity += '\n' + message;
  }
  out.name = cut_text(target_name, kLongestTarget) + '.' + hex(hash(identity));

  auto [bucket, fresh] = buckets_.try_emplace(uid);
  if (!fresh) {
    const double gained = std::chrono::duration<double>(now - bucket->second.at) / kRefill;
    bucket->second.tokens = std::min<double>(kBurst, bucket->second.tokens + std::max(0.0, gained));
  }
  bucket->second.at = now;
  if (bucket->second.tokens < 1) {
    out.drop = true;
    return out;
  }
  bucket->second.tokens -= 1;

  auto& known = events_[out.name];
  if (known.count == 0 || now - known.last > kRemember) known = Known{0, now};
  known.last = now;
  out.count = ++known.count;
  return out;
}

void EventCorrelator::correct(const std::string& event_name, int count) {
  if (const auto known = events_.find(event_name); known != events_.end()) known->second.count = count;
}

}  // namespace rollcall::kube
