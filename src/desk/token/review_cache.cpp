#include "desk/token/review_cache.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>

namespace rollcall::desk {

std::string token_hash(std::string_view token) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest.data());
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    text.push_back(kHex[byte >> 4]);
    text.push_back(kHex[byte & 15]);
  }
  return text;
}

std::optional<Review> ReviewCache::find(const std::string& hash, TimePoint now) const {
  const auto it = entries_.find(hash);
  if (it == entries_.end() || it->second.until <= now) return std::nullopt;
  return it->second.review;
}

void ReviewCache::put(const std::string& hash, Review review, std::int64_t token_expires, TimePoint now) {
  if (entries_.size() >= kMaxEntries)
    std::erase_if(entries_, [&](const auto& entry) { return entry.second.until <= now; });
  if (entries_.size() >= kMaxEntries) entries_.erase(entries_.begin());
  const TimePoint expiry{std::chrono::seconds(token_expires)};
  const TimePoint until = review.authenticated ? std::min(now + kGood, expiry) : now + kRefused;
  entries_[hash] = {std::move(review), until};
}

}  // namespace rollcall::desk
