#include "kube/reflector_policy.h"

#include <gtest/gtest.h>

namespace rollcall::kube {
namespace {

using namespace std::chrono_literals;
using Act = ReflectorPolicy::Act;

const ApiError kGone{410, "Expired", "too old resource version", 0};
const ApiError kThrottled{429, "TooManyRequests", "busy", 0};
const ApiError kUnreachable{0, "Unreachable", "refused", 0};
const ApiError kForbidden{403, "Forbidden", "no", 0};
const ApiError kTooLong{0, "LineTooLong", "", 0};
const ApiError kTooLarge{0, "ResponseTooLarge", "", 0};

class Policy : public testing::Test {
 protected:
  ReflectorPolicy policy_{[this] { return random_; }};
  double random_ = 0;
  ReflectorPolicy::TimePoint now_{1000s};

  void watching(const std::string& version) {
    policy_.next();
    policy_.listed(version);
    policy_.next();
    policy_.watch_started(now_);
  }
};

TEST_F(Policy, FirstListTakesAnyStateThenWatchesFromItsVersion) {
  auto step = policy_.next();
  EXPECT_EQ(step.act, Act::List);
  EXPECT_EQ(step.resource_version, "0");
  EXPECT_EQ(step.wait, 0ms);
  EXPECT_EQ(step.page, 500);
  policy_.listed("7");
  step = policy_.next();
  EXPECT_EQ(step.act, Act::Watch);
  EXPECT_EQ(step.resource_version, "7");
  EXPECT_EQ(step.wait, 0ms);
}

TEST_F(Policy, WatchesAskForARandomEndBetweenFiveAndTenMinutes) {
  policy_.listed("7");
  random_ = 0;
  EXPECT_EQ(policy_.next().server_timeout, 300s);
  random_ = 0.5;
  EXPECT_EQ(policy_.next().server_timeout, 450s);
  random_ = 0.999999;
  EXPECT_EQ(policy_.next().server_timeout, 600s);
}

TEST_F(Policy, WatchThatEndsInGoodOrderGoesOnFromTheNewestVersionAtOnce) {
  watching("7");
  policy_.saw("9");
  policy_.watch_ended(std::nullopt, now_);
  const auto step = policy_.next();
  EXPECT_EQ(step.act, Act::Watch);
  EXPECT_EQ(step.resource_version, "9");
  EXPECT_EQ(step.wait, 0ms);
  EXPECT_EQ(policy_.restarts().at("closed"), 1U);
}

TEST_F(Policy, WatchThatEndsAtOnceWithoutAnEventBacksOff) {
  watching("7");
  policy_.watch_ended(std::nullopt, now_ + 999ms);
  auto step = policy_.next();
  EXPECT_EQ(step.act, Act::Watch);
  EXPECT_EQ(step.resource_version, "7");
  EXPECT_EQ(step.wait, 800ms);
  EXPECT_EQ(policy_.restarts().at("short"), 1U);

  policy_.watch_started(now_);
  policy_.watch_ended(std::nullopt, now_ + 1s);
  EXPECT_EQ(policy_.next().wait, 0ms);
}

TEST_F(Policy, GoneListsAnewWithACurrentRead) {
  watching("7");
  policy_.saw("8");
  policy_.watch_ended(kGone, now_);
  auto step = policy_.next();
  EXPECT_EQ(step.act, Act::List);
  EXPECT_EQ(step.resource_version, "");
  EXPECT_EQ(step.wait, 0ms) << "ordinary after a watch that brought something";
  EXPECT_EQ(policy_.restarts().at("expired"), 1U);

  // Gone again before anything was heard: not in a tight loop.
  policy_.listed("20");
  policy_.next();
  policy_.watch_started(now_);
  policy_.watch_ended(kGone, now_);
  step = policy_.next();
  EXPECT_EQ(step.act, Act::List);
  EXPECT_EQ(step.wait, 800ms);
}

TEST_F(Policy, AServerThatComesBackWithoutItsMemoryIsListedAtOnce) {
  watching("7");
  policy_.saw("8");
  policy_.watch_ended(kUnreachable, now_);
  EXPECT_EQ(policy_.next().wait, 800ms);
  policy_.watch_started(now_);
  policy_.watch_ended(kGone, now_);
  const auto step = policy_.next();
  EXPECT_EQ(step.act, Act::List);
  EXPECT_EQ(step.wait, 0ms) << "it answers again, and much was missed";
}

TEST_F(Policy, ServerThatIsBehindTheVersionCountsAsGone) {
  policy_.next();
  policy_.list_failed({504, "Timeout", "Too large resource version: 9, current: 3", 0}, now_);
  EXPECT_EQ(policy_.next().resource_version, "");
}

TEST_F(Policy, RefusedAndThrottledWatchesKeepTheirVersion) {
  for (const ApiError& error : {kThrottled, kUnreachable, kForbidden}) {
    ReflectorPolicy policy([] { return 0.0; });
    policy.listed("7");
    policy.watch_started(now_);
    policy.saw("9");
    policy.watch_ended(error, now_);
    const auto step = policy.next();
    EXPECT_EQ(step.act, Act::Watch) << error.text();
    EXPECT_EQ(step.resource_version, "9") << error.text();
    EXPECT_EQ(step.wait, 800ms) << error.text();
  }
}

TEST_F(Policy, RefusedListKeepsItsVersion) {
  policy_.next();
  policy_.list_failed(kForbidden, now_);
  const auto step = policy_.next();
  EXPECT_EQ(step.act, Act::List);
  EXPECT_EQ(step.resource_version, "0");
  EXPECT_EQ(step.wait, 800ms);
  EXPECT_EQ(policy_.restarts().at("refused"), 1U);
}

TEST_F(Policy, DelaysDoubleToTenSecondsAndStartAnewAfterTwoMinutes) {
  policy_.listed("7");
  for (const auto expected : {800ms, 1600ms, 3200ms, 6400ms, 10000ms, 10000ms}) {
    policy_.watch_started(now_);
    policy_.watch_ended(kUnreachable, now_);
    EXPECT_EQ(policy_.next().wait, expected);
    now_ += 2min;
  }
  now_ += 1ms;
  policy_.watch_ended(kUnreachable, now_);
  EXPECT_EQ(policy_.next().wait, 800ms);
}

TEST_F(Policy, DelaysAreSpreadToTwiceTheirLength) {
  policy_.listed("7");
  random_ = 0.5;
  policy_.watch_ended(kUnreachable, now_);
  EXPECT_EQ(policy_.next().wait, 1200ms);
}

TEST_F(Policy, RetryAfterIsHeededWhenItIsLonger) {
  policy_.listed("7");
  policy_.watch_ended(ApiError{429, "TooManyRequests", "", 5}, now_);
  EXPECT_EQ(policy_.next().wait, 5s);
  EXPECT_EQ(policy_.restarts().at("throttled"), 1U);
}

TEST_F(Policy, LineThatCannotBeTakenIsSteppedOverByAList) {
  watching("7");
  policy_.saw("9");
  policy_.watch_ended(kTooLong, now_);
  const auto step = policy_.next();
  EXPECT_EQ(step.act, Act::List);
  EXPECT_EQ(step.resource_version, "")
      << "a page of version 9 is the state of version 9, and a watch from there has it";
  EXPECT_EQ(step.wait, 800ms);
  EXPECT_EQ(policy_.restarts().at("broken"), 1U);
}

TEST_F(Policy, ListThatIsTooLargeIsPagedThenInSmallerPages) {
  policy_.next();
  std::vector<std::pair<std::string, int>> asked;
  for (int i = 0; i < 5; ++i) {
    policy_.list_failed(kTooLarge, now_);
    const auto step = policy_.next();
    asked.emplace_back(step.resource_version, step.page);
  }
  EXPECT_EQ(asked, (std::vector<std::pair<std::string, int>>{{"", 500}, {"", 125}, {"", 31}, {"", 10}, {"", 10}}));
}

}  // namespace
}  // namespace rollcall::kube
