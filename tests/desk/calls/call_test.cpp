// One roll call through the desk: replies held and given, status written, the verdict swapped in once.
#include "desk/calls/call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "desk/support/world.h"

namespace rollcall::desk::testing {
namespace {

using namespace std::chrono_literals;
using roll_call::Step;
using ::testing::HasSubstr;
using Fate = FakeApi::Fate;

class CallTest : public ::testing::Test {
 protected:
  static bool waiting(const std::future<Said>& said) { return said.wait_for(0s) != std::future_status::ready; }

  std::future<Said> ask(World& world, int node_rank, const std::string& seen = "") {
    auto answer = world.answer(node_rank);
    if (!seen.empty()) {
      answer.attempt = 1;
      answer.seen = roll_call::SeenState{1, seen};
    }
    return world.ask(world.token(node_rank), roll_call::to_json(answer));
  }
  /// Both nodes answered once and have their order to see the address.
  void called(World& world) {
    world.job(1, 2);
    auto first = ask(world, 1), second = ask(world, 0);
    first.get();
    second.get();
    ASSERT_TRUE(eventually(
        [&] { return world.stored().contains("status") && world.stored()["status"].contains("masterAddr"); }));
  }
  /// Asks for node 0 until the desk names an end of waiting.
  Step last_step(World& world, int node_rank) {
    for (int i = 0; i < 200; ++i) {
      const Said said = world.post_seen(node_rank, "10.1.0.10");
      if (!said.instruction) return Step::Wait;
      if (said.instruction->step == Step::Release || said.instruction->step == Step::End) return said.instruction->step;
    }
    return Step::Wait;
  }
  static std::function<void(Service::Options&)> short_hold() {
    return [](Service::Options& options) { options.hold = 20ms; };
  }
};

TEST_F(CallTest, AJobIsCalledAndReleased) {
  World world(short_hold());
  called(world);
  EXPECT_EQ(world.stored()["status"]["masterAddr"], "10.1.0.10");
  ask(world, 0, "10.1.0.10").get();
  auto released = ask(world, 1, "10.1.0.10");
  ASSERT_TRUE(eventually([&] { return world.stored()["status"].contains("verdict"); }));
  EXPECT_EQ(world.stored()["status"]["verdict"]["kind"], "Released");
  EXPECT_EQ(world.stored()["status"]["verdict"]["by"], "desk");
  EXPECT_EQ(last_step(world, 0), Step::Release);
  EXPECT_EQ(last_step(world, 1), Step::Release);
  ASSERT_TRUE(eventually([&] { return world.stored()["status"].value("stage", "") == "Released"; }));
}

TEST_F(CallTest, AWaitIsHeldUntilItsOrderChanges) {
  World world;
  world.job(1, 2);
  auto held = ask(world, 1);
  ASSERT_TRUE(eventually([&] { return world.service().figures().held == 1; }));
  EXPECT_TRUE(waiting(held));
  auto second = ask(world, 0);
  ASSERT_EQ(held.wait_for(10s), std::future_status::ready) << "node rank 0 answered: there is something to do";
  EXPECT_NE(held.get().instruction->step, Step::Wait);
  second.wait_for(10s);
}

TEST_F(CallTest, AHoldEnds) {
  World world(short_hold());
  world.job(1, 2);
  const auto before = std::chrono::steady_clock::now();
  const Said said = ask(world, 1).get();
  EXPECT_GE(std::chrono::steady_clock::now() - before, 20ms);
  EXPECT_EQ(said.instruction->step, Step::Wait);
  EXPECT_EQ(world.service().figures().held, 0u);
}

TEST_F(CallTest, AskingAgainGivesTheOlderReplyBack) {
  World world;
  world.job(1, 2);
  auto older = ask(world, 1);
  ASSERT_TRUE(eventually([&] { return world.service().figures().held == 1; }));
  auto newer = ask(world, 1);
  ASSERT_EQ(older.wait_for(10s), std::future_status::ready);
  EXPECT_EQ(older.get().instruction->step, Step::Wait);
  EXPECT_TRUE(eventually([&] { return world.service().figures().held == 1; }));
  EXPECT_TRUE(waiting(newer));
  world.service().let_go();
  EXPECT_EQ(newer.wait_for(10s), std::future_status::ready);
}

TEST_F(CallTest, HeldRepliesGoOutWhenTheDeskEnds) {
  World world;
  world.job(1, 2);
  auto held = ask(world, 1);
  ASSERT_TRUE(eventually([&] { return world.service().figures().held == 1; }));
  world.service().let_go();
  EXPECT_EQ(held.wait_for(10s), std::future_status::ready);
  EXPECT_EQ(ask(world, 1).wait_for(10s), std::future_status::ready) << "and none is held from then on";
}

TEST_F(CallTest, ADeletedJobsHeldProbesAreToldTheirEnd) {
  World world;
  world.job(1, 2);
  auto held = ask(world, 1);
  ASSERT_TRUE(eventually([&] { return world.service().figures().held == 1; }));
  world.service().roll_call_removed("train", "tj-llama-1", "rc-1");
  const Said said = held.get();
  EXPECT_EQ(said.instruction->step, Step::End);
  EXPECT_THAT(said.instruction->message, HasSubstr("deleted"));
}

TEST_F(CallTest, AJobMadeAnewUnderTheSameNameStartsAnew) {
  World world;
  world.job(1, 2);
  auto held = ask(world, 1);
  ASSERT_TRUE(eventually([&] { return world.service().figures().held == 1; }));
  Json again = roll_call_object(1, 2);
  again["metadata"]["uid"] = "rc-other";
  again["spec"]["job"]["uid"] = "job-2";
  for (auto& entry : again["spec"]["roster"]) entry["uid"] = entry["uid"].get<std::string>() + "-new";
  world.write_roll_call(again);
  EXPECT_EQ(held.get().instruction->step, Step::End);
  const Said said = world.post(1);
  EXPECT_EQ(said.instruction->step, Step::Wait);
  EXPECT_EQ(said.instruction->attempt, 0) << "the old pod is in no roster";
}

TEST_F(CallTest, StatusIsWrittenAtMostOnceInAWhile) {
  World world([](Service::Options& options) {
    options.hold = 1ms;
    options.write_every = 100ms;
  });
  const auto before = std::chrono::steady_clock::now();
  world.job(1, 50);
  for (int rank = 1; rank < 50; ++rank) world.post(rank);
  ASSERT_TRUE(eventually(
      [&] { return world.stored().contains("status") && world.stored()["status"].value("answered", "") == "49/50"; }));
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - before);
  EXPECT_LE(world.api.status_writes(), took / 100ms + 1);
}

TEST_F(CallTest, TheMasterAddressIsWrittenAtOnceForAllTrainersWaitForIt) {
  World world([](Service::Options& options) {
    options.hold = 1ms;
    options.write_every = 1h;  // whatever else changes is not written while the test runs
  });
  world.job(1, 3);
  world.post(2);
  ASSERT_TRUE(eventually([&] { return world.api.status_writes() == 1; }));
  world.post(0);
  EXPECT_TRUE(eventually([&] { return world.stored()["status"].value("masterAddr", "") == "10.1.0.10"; }));
  world.post(1);
  EXPECT_EQ(world.api.status_writes(), 2) << "the address alone does not wait";
}

TEST_F(CallTest, AStatusWriteThatMeetsAnotherWriterIsMadeAgain) {
  World world(short_hold());
  std::atomic<int> conflicts{0};
  world.api.before_write = [&] {
    if (conflicts++ == 0)
      world.api.change("train", "tj-llama-1", [](Json& object) { object["metadata"]["annotations"]["x"] = "y"; });
  };
  world.job(1, 2);
  ask(world, 0).get();
  ASSERT_TRUE(eventually(
      [&] { return world.stored().contains("status") && world.stored()["status"].value("answered", "") == "1/2"; }));
  EXPECT_EQ(world.stored()["metadata"]["annotations"]["x"], "y");
}

TEST_F(CallTest, TheOperatorsVerdictWinsWhenItIsFirst) {
  World world(short_hold());
  called(world);
  std::atomic<bool> ended{false};
  world.api.before_write = [&] {
    if (ended.exchange(true)) return;
    world.api.change("train", "tj-llama-1", [](Json& object) {
      object["status"]["verdict"] = {
          {"kind", "Ended"}, {"reason", "Suspended"}, {"message", "by a person"}, {"by", "operator"}};
    });
  };
  ask(world, 0, "10.1.0.10").get();
  ask(world, 1, "10.1.0.10").get();
  EXPECT_EQ(last_step(world, 0), Step::End);
  EXPECT_EQ(last_step(world, 1), Step::End);
  EXPECT_EQ(world.stored()["status"]["verdict"]["by"], "operator");
  EXPECT_EQ(world.stored()["status"]["verdict"]["message"], "by a person");
}

TEST_F(CallTest, AVerdictWhoseReplyIsLostIsFoundAgain) {
  World world(short_hold());
  called(world);
  std::atomic<bool> once{false};
  world.api.before_write = [&] {
    // The next write is the verdict's: both nodes have seen.
    if (!once.exchange(true)) world.api.fates({Fate::LostReply, Fate::LostReply});
  };
  ask(world, 0, "10.1.0.10").get();
  ask(world, 1, "10.1.0.10").get();
  EXPECT_EQ(last_step(world, 0), Step::Release);
  EXPECT_EQ(world.stored()["status"]["verdict"]["kind"], "Released");
}

TEST_F(CallTest, NothingIsReleasedWhileTheVerdictCannotBeWritten) {
  World world(short_hold());
  called(world);
  world.api.set_down(true);
  ask(world, 0, "10.1.0.10").get();
  for (int i = 0; i < 10; ++i) {
    const Said said = ask(world, 1, "10.1.0.10").get();
    ASSERT_TRUE(said.instruction.has_value());
    EXPECT_NE(said.instruction->step, Step::Release);
    EXPECT_NE(said.instruction->step, Step::End);
  }
  world.api.set_down(false);
  // The state machine asks again after its pause, on the wall clock it is given.
  EXPECT_TRUE(eventually([&] {
    world.set_now(world.now() + 1s);
    ask(world, 1, "10.1.0.10").get();
    return world.stored()["status"].contains("verdict");
  }));
  EXPECT_EQ(last_step(world, 0), Step::Release);
}

TEST_F(CallTest, TwoVerdictsAreNeverStored) {
  // Whatever becomes of the writes, what is stored first stays, and all are told that.
  const std::vector<std::deque<Fate>> histories = {{Fate::Lost, Fate::LostReply},
                                                   {Fate::LostReply},
                                                   {Fate::Lost, Fate::Lost, Fate::Stored},
                                                   {Fate::Forbidden, Fate::Stored}};
  for (const auto& fates : histories) {
    World world(short_hold());
    called(world);
    world.api.fates(fates);
    ask(world, 0, "10.1.0.10").get();
    ask(world, 1, "10.1.0.10").get();
    std::optional<Json> first;
    ASSERT_TRUE(eventually([&] {
      world.set_now(world.now() + 500ms);
      ask(world, 1, "10.1.0.10").get();
      const Json stored = world.stored();
      if (!stored["status"].contains("verdict")) return false;
      if (!first) first = stored["status"]["verdict"];
      EXPECT_EQ(stored["status"]["verdict"], *first);
      return true;
    }));
    EXPECT_EQ(last_step(world, 0), Step::Release);
    EXPECT_EQ(world.stored()["status"]["verdict"], *first);
  }
}

TEST_F(CallTest, AnOverrideOnTheRollCallReleases) {
  World world(short_hold());
  world.job(1, 2, "Enforce");
  ask(world, 0).get();
  ask(world, 1).get();
  world.see(world.api.change("train", "tj-llama-1", [](Json& object) {
    object["metadata"]["annotations"]["rollcall.dev/override"] = "the switch is known to be slow";
  }));
  ask(world, 0, "10.1.0.10").get();
  ask(world, 1, "10.1.0.10").get();
  EXPECT_EQ(last_step(world, 0), Step::Release);
  EXPECT_EQ(world.stored()["status"]["verdict"]["overridden"], true);
}

TEST_F(CallTest, AModeChangedWhileWaitingIsObeyed) {
  World world(short_hold());
  world.job(1, 2, "Enforce");
  ask(world, 0).get();
  ask(world, 1).get();
  world.see(world.api.change("train", "tj-llama-1",
                             [](Json& object) { object["metadata"]["annotations"]["rollcall.dev/mode"] = "Off"; }));
  ask(world, 0, "10.1.0.10").get();
  ask(world, 1, "10.1.0.10").get();
  EXPECT_EQ(last_step(world, 0), Step::Release);
}

TEST_F(CallTest, ANewDeskTellsAStoredReleaseWithoutRebuilding) {
  World world(short_hold());
  called(world);
  ask(world, 0, "10.1.0.10").get();
  ask(world, 1, "10.1.0.10").get();
  EXPECT_EQ(last_step(world, 0), Step::Release);
  const Json stored = world.stored();
  world.restart();
  for (int rank = 0; rank < 2; ++rank) world.see_pod(pod_object(rank, 1));
  world.see(stored);
  const Said said = world.post(1);
  ASSERT_TRUE(said.instruction.has_value());
  EXPECT_EQ(said.instruction->step, Step::Release);
}

TEST_F(CallTest, ANewDeskRebuildsTheRollFromRepeatedAnswers) {
  World world(short_hold());
  called(world);
  world.restart();
  for (int rank = 0; rank < 2; ++rank) world.see_pod(pod_object(rank, 1));
  world.see(world.stored());
  for (int i = 0; i < 3; ++i)
    for (int rank = 0; rank < 2; ++rank) ask(world, rank, "10.1.0.10").get();
  EXPECT_EQ(last_step(world, 0), Step::Release);
}

TEST_F(CallTest, APodThatVanishedBeforeTheDeskBeganIsGone) {
  World world(short_hold());
  world.see_pod(pod_object(0, 1));
  world.write_roll_call(roll_call_object(1, 2));  // node rank 1's pod is in the roster and nowhere else
  ask(world, 0).get();
  Rosters rosters;
  const auto read = api::roll_call_from(world.stored());
  ASSERT_TRUE(read.ok());
  rosters.put("train/tj-llama-1", *read, world.now());
  EXPECT_TRUE(rosters.never_seen("train/tj-llama-1", world.now() + 9s).empty()) << "our watch may be behind";
  const auto gone = rosters.never_seen("train/tj-llama-1", world.now() + 10s);
  ASSERT_EQ(gone.size(), 2u);
  EXPECT_TRUE(gone[1].gone);
  EXPECT_EQ(gone[1].name, "llama-1-1");
}

TEST_F(CallTest, ARollCallThatCannotBeReadIsPassedOver) {
  World world(short_hold());
  Json bad = roll_call_object(1, 2);
  bad["spec"]["roster"] = "none";
  world.write_roll_call(bad);
  EXPECT_EQ(world.service().figures().calls, 0u);
  world.job(2, 2);
  EXPECT_EQ(world.post(0, 2).status, 200);
}

}  // namespace
}  // namespace rollcall::desk::testing
