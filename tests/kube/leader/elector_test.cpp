#include "kube/leader/elector.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "kube/leader/lease.h"
#include "kube/leader/lease_server.h"

namespace rollcall::kube {
namespace {

using namespace std::chrono_literals;
using testing::LeaseServer;

/// A process that takes part; times are short, because the thread's waits are real ones.
struct Process {
  static constexpr LeaseTimes kTimes{1'000ms, 600ms, 50ms};

  explicit Process(LeaseServer& server, const std::string& name, LeaseTimes times = kTimes)
      : elector(server, {"ns", "x", name, times, [this] { return std::chrono::steady_clock::now() + ahead.load(); }},
                {.won = [this](std::int64_t n) { won.set_value(n); },
                 .lost = [this](const std::string& why) { lost.set_value(why); },
                 .failed = [this](const std::string&) { ++failures; }}) {}

  template <typename T>
  static T in_time(std::future<T> future) {
    if (future.wait_for(20s) != std::future_status::ready) {
      ADD_FAILURE() << "not within 20 s";
      return {};
    }
    return future.get();
  }
  std::int64_t wait_won() { return in_time(won.get_future()); }
  std::string wait_lost() { return in_time(lost.get_future()); }

  std::atomic<std::chrono::milliseconds> ahead{0ms};  ///< this process's clock: a jump is a time it was stopped
  std::promise<std::int64_t> won;
  std::promise<std::string> lost;
  std::atomic<int> failures{0};
  Elector elector;  // last: its thread ends first
};

TEST(Elector, WinsANewLeaseAndKeepsIt) {
  LeaseServer server;
  Process one(server, "one");
  EXPECT_FALSE(one.elector.leading());
  one.elector.start();
  EXPECT_EQ(one.wait_won(), 0);
  EXPECT_TRUE(one.elector.leading());
  EXPECT_EQ(one.elector.holder(), "one");
  const auto first = (*server.lease())["spec"]["renewTime"];
  EXPECT_TRUE(server.wait([&](const auto& lease) { return (*lease)["spec"]["renewTime"] != first; }));
  EXPECT_TRUE(one.elector.leading());
}

TEST(Elector, GivesTheLeaseBackAtTheEndAndTheOtherTakesItAtOnce) {
  LeaseServer server;
  Process one(server, "one", {60s, 40s, 50ms}), two(server, "two", {60s, 40s, 50ms});
  one.elector.start();
  EXPECT_EQ(one.wait_won(), 0);
  two.elector.start();
  ASSERT_TRUE(server.wait([&](const auto&) { return two.elector.holder() == "one"; }));
  EXPECT_FALSE(two.elector.leading());
  one.elector.stop();
  EXPECT_FALSE(one.elector.leading());
  EXPECT_EQ(two.wait_won(), 1) << "long before the 60 s of the lease";
  EXPECT_EQ(server.holder(), "two");
  EXPECT_EQ(one.failures, 0);
}

TEST(Elector, AStoppedLeaderIsReplacedAndWhenWokenKnowsAtOnce) {
  LeaseServer server;
  Process one(server, "one"), two(server, "two");
  one.elector.start();
  one.wait_won();
  // Its clock leaps as that of a process between SIGSTOP and SIGCONT: before any thread of it has run.
  one.ahead = 20s;
  EXPECT_FALSE(one.elector.leading()) << "asked before its own thread noticed";
  EXPECT_EQ(one.wait_lost(), "the lease was not renewed for 600 ms");
  two.elector.start();
  EXPECT_EQ(two.wait_won(), 1);
  EXPECT_FALSE(one.elector.leading());
  one.elector.stop();
  EXPECT_EQ(server.holder(), "two") << "what is lost is not given back";
}

TEST(Elector, LosesWhenTheApiServerStaysAway) {
  LeaseServer server;
  Process one(server, "one");
  one.elector.start();
  one.wait_won();
  server.set_fault([](const std::string&) { return ApiError{0, "Unreachable", "no route", 0}; });
  const auto why = one.wait_lost();
  EXPECT_NE(why.find("no route"), std::string::npos) << why;
  EXPECT_FALSE(one.elector.leading());
  EXPECT_GT(one.failures, 3);
}

TEST(Elector, ACreateThatWasSentTwiceIsStillOurs) {
  LeaseServer server;
  std::atomic<bool> played{false};
  Process one(server, "one");
  // The first sending took effect and its reply was lost: the second is told AlreadyExists.
  server.set_fault([&](const std::string& verb) -> std::optional<ApiError> {
    if (verb != "create" || played.exchange(true)) return std::nullopt;
    return ApiError{409, "AlreadyExists", "the Lease exists", 0};
  });
  server.change([](std::optional<Json>& lease) { lease.reset(); });
  one.elector.start();
  ASSERT_TRUE(server.wait([&](const auto&) { return played.load(); }));
  server.change([](std::optional<Json>& lease) {
    if (!lease) lease = new_lease("ns", "x", {"one", 15s, 0, "a", "r"});
  });
  one.wait_won();
  EXPECT_EQ(server.holder(), "one");
}

TEST(Elector, LabelsOfAPersonStayAndCostNoTerm) {
  LeaseServer server;
  Process one(server, "one");
  one.elector.start();
  one.wait_won();
  server.change([](std::optional<Json>& lease) { (*lease)["metadata"]["labels"]["team"] = "a"; });
  const auto renewed = (*server.lease())["spec"]["renewTime"];
  ASSERT_TRUE(server.wait([&](const auto& lease) { return (*lease)["spec"]["renewTime"] != renewed; }));
  const auto lease = *server.lease();
  EXPECT_EQ(lease["metadata"]["labels"]["team"], "a");
  EXPECT_EQ(lease["spec"]["leaseTransitions"], 0);
  EXPECT_TRUE(one.elector.leading());
}

TEST(Elector, ALeaseTakenByForceIsLostAtTheNextRenewal) {
  LeaseServer server;
  Process one(server, "one", {60s, 40s, 50ms});
  one.elector.start();
  one.wait_won();
  server.change([](std::optional<Json>& lease) { (*lease)["spec"]["holderIdentity"] = "usurper"; });
  EXPECT_EQ(one.wait_lost(), "the lease is held by usurper");
  one.elector.stop();
  EXPECT_EQ(server.holder(), "usurper");
}

TEST(Elector, ADeletedLeaseComesBackWithTheSameTermAndHolder) {
  LeaseServer server;
  Process one(server, "one", {60s, 40s, 50ms}), two(server, "two", {60s, 40s, 50ms});
  server.change([](std::optional<Json>& lease) { lease = new_lease("ns", "x", {"", 1s, 6, "a", "r"}); });
  one.elector.start();
  EXPECT_EQ(one.wait_won(), 7);
  two.elector.start();
  ASSERT_TRUE(server.wait([&](const auto&) { return two.elector.holder() == "one"; }));
  server.change([](std::optional<Json>& lease) { lease.reset(); });
  ASSERT_TRUE(server.wait([](const auto& lease) { return lease.has_value(); }));
  EXPECT_EQ(server.holder(), "one");
  EXPECT_EQ((*server.lease())["spec"]["leaseTransitions"], 7);
  EXPECT_TRUE(one.elector.leading());
}

TEST(Elector, WithoutTheRightItSaysSoAndGoesOnTrying) {
  LeaseServer server;
  Process one(server, "one");
  std::atomic<int> refused{0};
  server.set_fault([&](const std::string&) {
    ++refused;
    return ApiError{403, "Forbidden", "leases is forbidden", 0};
  });
  one.elector.start();
  ASSERT_TRUE(server.wait([&](const auto&) { return refused > 1; }));
  server.set_fault({});
  EXPECT_EQ(one.wait_won(), 0);
  EXPECT_GT(one.failures, 0);
}

TEST(Elector, CallsOfItsClientEndWithinHalfTheRenewDeadline) {
  EXPECT_EQ(Elector::client_options(LeaseTimes{}).deadline, 5s);
}

TEST(Elector, IdentitiesOfOnePodDiffer) {
  const auto one = identity_of("desk-0"), two = identity_of("desk-0");
  EXPECT_NE(one, two);
  EXPECT_EQ(one.substr(0, 7), "desk-0_");
  EXPECT_EQ(one.size(), 7U + 16);
}

}  // namespace
}  // namespace rollcall::kube
