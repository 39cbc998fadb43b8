#include "cli/lint/side_by_side.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace rollcall::cli {
namespace {

/// The numbers from 0 to below `count`.
std::function<std::optional<int>()> numbers(int count) {
  return [count, next = 0]() mutable { return next < count ? std::optional(next++) : std::nullopt; };
}

std::size_t weightless(const int&) { return 0; }

std::vector<int> squares(int count, unsigned threads) {
  std::vector<int> all;
  SideBySide<int, int>(threads, 1, weightless)
      .run(
          numbers(count), [](int n) { return n * n; }, [&all](int n) { all.push_back(n); });
  return all;
}

TEST(SideBySide, OutcomesComeInTheOrderOfTasks) {
  std::vector<int> expected;
  for (int n = 0; n < 2000; ++n) expected.push_back(n * n);
  for (const unsigned threads : {0u, 1u, 2u, 8u}) EXPECT_EQ(squares(2000, threads), expected) << threads;
}

TEST(SideBySide, NoneOneAndTwoTasksAreDoneToo) {
  EXPECT_EQ(squares(0, 4), std::vector<int>{});
  EXPECT_EQ(squares(1, 4), std::vector<int>{0});
  EXPECT_EQ(squares(2, 4), (std::vector<int>{0, 1}));
}

TEST(SideBySide, WhatATaskThrowsIsThrown) {
  const auto work = [](int n) {
    if (n == 50) throw std::runtime_error("no memory for 50");
    return n;
  };
  int last = -1;
  try {
    SideBySide<int, int>(3, 1, weightless).run(numbers(1000), work, [&last](int n) { last = n; });
    FAIL() << "it was not thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "no memory for 50");
  }
  EXPECT_EQ(last, 49);
}

TEST(SideBySide, NoMoreThanTheWeightIsHeld) {
  std::atomic<int> held = 0;
  std::atomic<int> most = 0;
  const auto next = [&, given = 0]() mutable -> std::optional<int> {
    if (given == 500) return std::nullopt;
    most = std::max(most.load(), ++held);
    return given++;
  };
  // Every task weighs 10 of 20: two are held, and the one that is at hand when it shows that there is no room.
  SideBySide<int, int>(4, 20, [](const int&) { return std::size_t{10}; })
      .run(
          next, [](int n) { return n; }, [&held](int) { --held; });
  EXPECT_LE(most, 3);
}

}  // namespace
}  // namespace rollcall::cli
