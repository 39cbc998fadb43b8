#include <gtest/gtest.h>

#include "desk/token/caps.h"
#include "desk/token/review_cache.h"
#include "desk/token/unknown_uids.h"

namespace rollcall::desk {
namespace {

using namespace std::chrono_literals;
using roll_call::TimePoint;

constexpr TimePoint kNow{1'796'053'000s};
constexpr std::int64_t kLater = 1'796'053'000 + 3600;

int taken(ReviewCaps& caps, int tries, const std::string& source, const std::string& uid, TimePoint now) {
  int count = 0;
  for (int i = 0; i < tries; ++i) count += caps.take(source, uid, now);
  return count;
}

TEST(ReviewCaps, OneUidHasItsOwnLimit) {
  ReviewCaps caps({{1000, 1000}, {1000, 1000}, {1, 5}});
  EXPECT_EQ(taken(caps, 100, "10.0.0.1", "a", kNow), 5);
  EXPECT_EQ(taken(caps, 100, "10.0.0.1", "b", kNow), 5) << "another pod is not held up";
  EXPECT_EQ(taken(caps, 100, "10.0.0.1", "a", kNow + 2s), 2);
}

TEST(ReviewCaps, OneSourceHasItsOwnLimit) {
  ReviewCaps caps({{1000, 1000}, {10, 20}, {1000, 1000}});
  int count = 0;
  for (int i = 0; i < 100; ++i) count += caps.take("10.0.0.1", std::to_string(i), kNow);
  EXPECT_EQ(count, 20);
  EXPECT_TRUE(caps.take("10.0.0.2", "x", kNow));
}

TEST(ReviewCaps, AllTogetherHaveOne) {
  ReviewCaps caps({{100, 200}, {1000, 1000}, {1000, 1000}});
  int count = 0;
  for (int i = 0; i < 1000; ++i) count += caps.take("s" + std::to_string(i), "u" + std::to_string(i), kNow);
  EXPECT_EQ(count, 200);
  EXPECT_EQ(taken(caps, 1000, "s", "u", kNow + 500ms), 50);
}

TEST(ReviewCaps, AJobOf1000NodesIsReviewedAtOnce) {
  ReviewCaps caps;
  int count = 0;
  for (int i = 0; i < 1000; ++i)
    count += caps.take("10.0." + std::to_string(i / 8) + ".1", "u" + std::to_string(i), kNow);
  EXPECT_EQ(count, 1000);
}

TEST(ReviewCaps, WhatIsRefusedCountsNothing) {
  ReviewCaps caps({{1000, 10}, {1000, 1000}, {1, 1}});
  taken(caps, 1000, "s", "greedy", kNow);
  EXPECT_EQ(taken(caps, 1, "s", "modest", kNow), 1) << "999 refusals of another uid did not use up the limit of all";
}

TEST(ReviewCaps, AClockSetBackGivesNothingAway) {
  ReviewCaps caps({{1000, 1000}, {1000, 1000}, {1, 2}});
  EXPECT_EQ(taken(caps, 10, "s", "u", kNow), 2);
  EXPECT_EQ(taken(caps, 10, "s", "u", kNow - 1h), 0);
}

TEST(ReviewCaps, RemembersABoundedNumber) {
  ReviewCaps caps({{1e9, 1e9}, {1, 1}, {1, 1}});
  for (int i = 0; i < 50'000; ++i) caps.take("s" + std::to_string(i), "u" + std::to_string(i), kNow);
  EXPECT_LE(caps.remembered(), 40'000u);
}

Review good() { return {true, {"rollcall"}, "sa", "uid-0", ""}; }

TEST(ReviewCache, AGoodReviewStandsForAMinute) {
  ReviewCache cache;
  cache.put("h", good(), kLater, kNow);
  EXPECT_TRUE(cache.find("h", kNow + 59s).has_value());
  EXPECT_FALSE(cache.find("h", kNow + 60s).has_value());
  EXPECT_FALSE(cache.find("other", kNow).has_value());
}

TEST(ReviewCache, ARefusalStandsFor10s) {
  ReviewCache cache;
  cache.put("h", {}, kLater, kNow);
  EXPECT_TRUE(cache.find("h", kNow + 9s).has_value());
  EXPECT_FALSE(cache.find("h", kNow + 10s).has_value());
}

TEST(ReviewCache, NoReviewOutlivesItsToken) {
  ReviewCache cache;
  cache.put("h", good(), 1'796'053'000 + 5, kNow);
  EXPECT_TRUE(cache.find("h", kNow + 4s).has_value());
  EXPECT_FALSE(cache.find("h", kNow + 5s).has_value());
}

TEST(ReviewCache, KeepsABoundedNumber) {
  ReviewCache cache;
  for (std::size_t i = 0; i < ReviewCache::kMaxEntries + 100; ++i) cache.put(std::to_string(i), good(), kLater, kNow);
  EXPECT_EQ(cache.size(), ReviewCache::kMaxEntries);
  cache.put("last", good(), kLater, kNow + 61s);
  EXPECT_EQ(cache.size(), 1u) << "what no longer stands goes first";
}

TEST(TokenHash, IsSha256) {
  EXPECT_EQ(token_hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(UnknownUids, RememberWhenTheyWereFirstHeard) {
  UnknownUids uids;
  EXPECT_EQ(uids.first_heard("a", kNow), kNow);
  EXPECT_EQ(uids.first_heard("a", kNow + 5s), kNow);
  uids.forget("a");
  EXPECT_EQ(uids.first_heard("a", kNow + 6s), kNow + 6s);
}

TEST(UnknownUids, ALongSilenceStartsAnew) {
  UnknownUids uids;
  uids.first_heard("a", kNow);
  EXPECT_EQ(uids.first_heard("a", kNow + 11min), kNow + 11min);
}

TEST(UnknownUids, AFullTableRecordsNoMoreAndForgetsTheSilent) {
  UnknownUids uids;
  for (std::size_t i = 0; i < UnknownUids::kMaxEntries; ++i) uids.first_heard(std::to_string(i), kNow);
  EXPECT_EQ(uids.first_heard("one more", kNow), std::nullopt);
  EXPECT_EQ(uids.first_heard("0", kNow + 1s), kNow) << "those in it are still known";
  EXPECT_EQ(uids.first_heard("one more", kNow + 11min), kNow + 11min);
  EXPECT_LE(uids.size(), 2u);
}

}  // namespace
}  // namespace rollcall::desk
