#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <stdexcept>
#include <vector>

#include "desk/work/timers.h"
#include "desk/work/workers.h"

namespace rollcall::desk {
namespace {

// What the threads touch is declared before them: their end joins.

using namespace std::chrono_literals;
using ::testing::ElementsAre;

TEST(Timers, CallInTheOrderOfTheirTimes) {
  std::vector<int> order;
  std::promise<void> done;
  Timers timers;
  const auto now = Timers::Clock::now();
  timers.at(now + 30ms, [&] { done.set_value(); });
  timers.at(now + 20ms, [&] { order.push_back(2); });
  timers.at(now + 10ms, [&] { order.push_back(1); });
  timers.at(now - 10ms, [&] { order.push_back(0); });
  ASSERT_EQ(done.get_future().wait_for(10s), std::future_status::ready);
  EXPECT_THAT(order, ElementsAre(0, 1, 2));
}

TEST(Timers, SurviveWorkThatThrowsAndWorkThatAsksForMore) {
  std::promise<void> done;
  Timers timers;
  timers.after(0ms, [] { throw std::runtime_error("expected by this test"); });
  timers.after(1ms, [&] { timers.after(0ms, [&] { done.set_value(); }); });
  EXPECT_EQ(done.get_future().wait_for(10s), std::future_status::ready);
}

TEST(Timers, CallNothingAfterTheirEnd) {
  int called = 0;
  Timers timers;
  timers.after(1h, [&] { ++called; });
  timers.stop();
  timers.after(0ms, [&] { ++called; });
  EXPECT_EQ(called, 0);
}

TEST(Workers, DoWhatTheyAreGivenAndSurviveWhatThrows) {
  std::promise<void> done;
  Workers workers(2, 10);
  EXPECT_TRUE(workers.post([] { throw std::runtime_error("expected by this test"); }));
  EXPECT_TRUE(workers.post([&] { done.set_value(); }));
  EXPECT_EQ(done.get_future().wait_for(10s), std::future_status::ready);
}

TEST(Workers, RefuseMoreThanMayWait) {
  std::promise<void> begun, go;
  Workers workers(1, 2);
  ASSERT_TRUE(workers.post([&] {
    begun.set_value();
    go.get_future().wait();
  }));
  begun.get_future().wait();
  EXPECT_TRUE(workers.post([] {}));
  EXPECT_TRUE(workers.post([] {}));
  EXPECT_FALSE(workers.post([] {}));
  go.set_value();
}

TEST(Workers, TakeNothingAfterTheirEnd) {
  Workers workers(1, 2);
  workers.stop();
  EXPECT_FALSE(workers.post([] {}));
}

}  // namespace
}  // namespace rollcall::desk
