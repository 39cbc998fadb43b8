#include "kube/token_bucket.h"

#include <gtest/gtest.h>

namespace rollcall::kube {
namespace {

using namespace std::chrono_literals;
constexpr auto kLongest = 30s;

class Bucket : public testing::Test {
 protected:
  TokenBucket::Clock::time_point now_{1000s};
  std::chrono::milliseconds wait(TokenBucket& bucket) {
    return std::chrono::round<std::chrono::milliseconds>(bucket.take(now_, kLongest).value());
  }
};

TEST_F(Bucket, WithoutARateNothingWaits) {
  TokenBucket bucket(-1, 0);
  for (int i = 0; i < 10000; ++i) EXPECT_EQ(wait(bucket), 0ms);
}

TEST_F(Bucket, BurstGoesAtOnceThenAtTheRate) {
  TokenBucket bucket(10, 2);
  EXPECT_EQ(wait(bucket), 0ms);
  EXPECT_EQ(wait(bucket), 0ms);
  EXPECT_EQ(wait(bucket), 100ms);
  EXPECT_EQ(wait(bucket), 200ms) << "behind the one that waits";
}

TEST_F(Bucket, PauseFillsItUpToTheBurst) {
  TokenBucket bucket(10, 2);
  for (int i = 0; i < 4; ++i) wait(bucket);
  now_ += 1h;
  EXPECT_EQ(wait(bucket), 0ms);
  EXPECT_EQ(wait(bucket), 0ms);
  EXPECT_EQ(wait(bucket), 100ms);
}

TEST_F(Bucket, WaitBeyondTheDeadlineIsRefusedAndTakesNoPlace) {
  TokenBucket bucket(1, 1);
  EXPECT_EQ(wait(bucket), 0ms);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(bucket.take(now_, 900ms));
  EXPECT_EQ(wait(bucket), 1000ms);
}

TEST_F(Bucket, BurstBelowOneIsOne) {
  TokenBucket bucket(1, 0);
  EXPECT_EQ(wait(bucket), 0ms);
  EXPECT_EQ(wait(bucket), 1000ms);
}

}  // namespace
}  // namespace rollcall::kube
