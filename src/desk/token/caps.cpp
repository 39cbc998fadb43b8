#include "desk/token/caps.h"

namespace rollcall::desk {
namespace {

double seconds_between(roll_call::TimePoint from, roll_call::TimePoint to) {
  return std::max(0.0, std::chrono::duration<double>(to - from).count());
}

}  // namespace

ReviewCaps::Bucket& ReviewCaps::fill(Table& table, const std::string& key, Rate rate, TimePoint now) {
  auto it = table.find(key);
  if (it == table.end()) {
    if (table.size() >= kMaxEntries)
      std::erase_if(table, [&](const auto& entry) {
        return entry.second.tokens + seconds_between(entry.second.at, now) * rate.per_second >= rate.burst;
      });
    if (table.size() >= kMaxEntries) table.clear();  // the limit in all still holds
    it = table.emplace(key, Bucket{rate.burst, now}).first;
  }
  Bucket& bucket = it->second;
  bucket.tokens = std::min(rate.burst, bucket.tokens + seconds_between(bucket.at, now) * rate.per_second);
  bucket.at = now;
  return bucket;
}

bool ReviewCaps::take(const std::string& source, const std::string& uid, TimePoint now) {
  Bucket& all = fill(all_, "", rates_.in_all, now);
  Bucket& of_source = fill(sources_, source, rates_.per_source, now);
  Bucket& of_uid = fill(uids_, uid, rates_.per_uid, now);
  if (all.tokens < 1 || of_source.tokens < 1 || of_uid.tokens < 1) return false;
  all.tokens -= 1;
  of_source.tokens -= 1;
  of_uid.tokens -= 1;
  return true;
}

}  // namespace rollcall::desk
