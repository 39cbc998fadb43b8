#include "kube/queue.h"

#include <gmock/gmock.h>

#include <thread>

#include "kube/queue_core.h"

namespace rollcall::kube {
namespace {

using namespace std::chrono_literals;

class Queue : public testing::Test {
 protected:
  QueueCore core_;
  QueueCore::TimePoint now_{1000s};
  std::string take() { return core_.take(now_).value_or("none"); }
};

TEST_F(Queue, KeyWaitsOnce) {
  core_.add("a", now_);
  core_.add("b", now_);
  core_.add("a", now_);
  EXPECT_EQ(core_.size(), 2U);
  EXPECT_EQ(take(), "a");
  EXPECT_EQ(take(), "b");
  EXPECT_EQ(take(), "none");
}

TEST_F(Queue, KeyAddedDuringItsWorkComesBackAfterIt) {
  core_.add("a", now_);
  EXPECT_EQ(take(), "a");
  core_.add("a", now_);
  core_.add("a", now_);
  EXPECT_EQ(take(), "none") << "two workers at one key";
  core_.done("a", now_);
  EXPECT_EQ(take(), "a");
  core_.done("a", now_);
  EXPECT_EQ(take(), "none");
}

TEST_F(Queue, OfTwoDelaysTheEarlierCounts) {
  core_.add_at("a", now_ + 10s);
  core_.add_at("a", now_ + 5s);
  core_.add_at("a", now_ + 20s);
  EXPECT_EQ(core_.next_due(), now_ + 5s);
  EXPECT_EQ(take(), "none");
  now_ += 5s;
  EXPECT_EQ(take(), "a");
  core_.done("a", now_);
  now_ += 60s;
  EXPECT_EQ(take(), "none");
}

TEST_F(Queue, AddOvertakesADelay) {
  core_.add_at("a", now_ + 10s);
  core_.add("a", now_);
  EXPECT_EQ(take(), "a");
  core_.done("a", now_);
  EXPECT_EQ(core_.next_due(), std::nullopt);
}

TEST_F(Queue, DelayAskedForDuringTheWorkHolds) {
  core_.add("a", now_);
  EXPECT_EQ(take(), "a");
  core_.add_at("a", now_ + 10s);
  core_.done("a", now_);
  EXPECT_EQ(take(), "none");
  now_ += 10s;
  EXPECT_EQ(take(), "a");
}

TEST_F(Queue, DelayThatIsOverDuringTheWorkWaitsForItsEnd) {
  core_.add("a", now_);
  EXPECT_EQ(take(), "a");
  core_.add_at("a", now_ + 1s);
  now_ += 1s;
  EXPECT_EQ(take(), "none");
  core_.done("a", now_);
  EXPECT_EQ(take(), "a");
}

TEST_F(Queue, FailuresBackOffFromFiveMillisecondsToFiveMinutes) {
  std::vector<std::chrono::milliseconds> delays;
  for (int i = 0; i < 40; ++i) {
    core_.add_backing_off("a", now_);
    delays.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(*core_.next_due() - now_));
    now_ = *core_.next_due();
    EXPECT_EQ(take(), "a");
    core_.done("a", now_);
  }
  EXPECT_EQ(delays[0], 5ms);
  EXPECT_EQ(delays[1], 10ms);
  EXPECT_EQ(delays[15], 163840ms);
  EXPECT_EQ(delays[16], 5min);
  EXPECT_EQ(delays[39], 5min);
  core_.forget("a");
  core_.add_backing_off("a", now_);
  EXPECT_EQ(core_.next_due(), now_ + 5ms);
}

TEST(QueueHooks, TellHowLongKeysWaitedAndWereWorkedOn) {
  std::vector<std::string> told;
  const auto number = [](double seconds) { return std::to_string(static_cast<int>(seconds)); };
  QueueCore core({.added = [&] { told.push_back("added"); },
                  .taken = [&](double waited) { told.push_back("taken after " + number(waited)); },
                  .done = [&](double worked) { told.push_back("done after " + number(worked)); },
                  .retried = [&] { told.push_back("retried"); }});
  QueueCore::TimePoint now{1000s};
  core.add("a", now);
  core.add("a", now);
  now += 3s;
  EXPECT_EQ(core.figures(now).depth, 1U);
  EXPECT_EQ(core.take(now), "a");
  core.add_at("b", now + 2s);
  now += 4s;
  EXPECT_EQ(core.figures(now).depth, 0U) << "what waits for its time is not waiting for a worker";
  EXPECT_EQ(core.take(now), "b");
  const auto figures = core.figures(now + 1s);
  EXPECT_EQ(figures.unfinished_seconds, 6) << "5 s of a, 1 s of b";
  EXPECT_EQ(figures.longest_seconds, 5);
  core.done("a", now + 1s);
  core.add_backing_off("a", now + 1s);
  EXPECT_THAT(told,
              testing::ElementsAre("added", "taken after 3", "added", "taken after 2", "done after 5", "retried"));
}

TEST(WorkQueue, EachKeyIsWorkedOnByOneWorkerAndNoneIsLost) {
  WorkQueue queue;
  constexpr int kKeys = 20;
  std::vector<std::atomic<int>> working(kKeys);
  std::vector<std::atomic<int>> added(kKeys);
  std::vector<std::atomic<int>> seen(kKeys);
  std::atomic<int> overlaps = 0;
  std::vector<std::thread> workers;
  for (int w = 0; w < 4; ++w) {
    workers.emplace_back([&] {
      while (const auto key = queue.take()) {
        const auto i = static_cast<std::size_t>(std::stoi(*key));
        if (working[i]++ != 0) ++overlaps;
        seen[i] = added[i].load();
        --working[i];
        queue.done(*key);
      }
    });
  }
  for (int round = 0; round < 200; ++round) {
    for (std::size_t i = 0; i < kKeys; ++i) {
      ++added[i];
      if (round % 3 == 0)
        queue.add_after(std::to_string(i), 1ms);
      else
        queue.add(std::to_string(i));
    }
  }
  const auto until = std::chrono::steady_clock::now() + 20s;
  const auto all_seen = [&] {
    for (std::size_t i = 0; i < kKeys; ++i) {
      if (seen[i] != added[i]) return false;
    }
    return true;
  };
  while (!all_seen() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  queue.shut_down();
  for (auto& worker : workers) worker.join();
  EXPECT_TRUE(all_seen());
  EXPECT_EQ(overlaps, 0);
}

TEST(WorkQueue, ShutDownWakesEveryWorker) {
  WorkQueue queue;
  queue.add_after("later", 1h);
  std::vector<std::thread> workers;
  std::atomic<int> ended = 0;
  for (int i = 0; i < 3; ++i) {
    workers.emplace_back([&] {
      if (!queue.take()) ++ended;
    });
  }
  queue.shut_down();
  for (auto& worker : workers) worker.join();
  EXPECT_EQ(ended, 3);
}

}  // namespace
}  // namespace rollcall::kube
