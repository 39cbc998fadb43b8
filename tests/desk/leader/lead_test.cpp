// Two desks over one API server, of which one leads. A process that is stopped and woken is a desk whose leading()
// turns false between two of its steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "desk/support/world.h"

namespace rollcall::desk {
namespace {

using namespace std::chrono_literals;
using roll_call::Step;
using testing::eventually;
using ::testing::HasSubstr;
using testing::Json;
using testing::Said;
using testing::World;

class Lead : public ::testing::Test {
 protected:
  explicit Lead(std::chrono::milliseconds hold = 20ms) : hold_(hold) {}

  const std::chrono::milliseconds hold_;
  std::atomic<bool> leading_{false};
  std::atomic<int> asked_{0};  ///< how often the desk asked whether it leads
  World world_{[this](Service::Options& options) {
    options.leading = [this] {
      ++asked_;
      return leading_.load();
    };
    options.leader = [] { return std::string("rollcall-desk-b_77"); };
    options.hold = hold_;
  }};

  void lead(std::int64_t term) {
    leading_ = true;
    world_.service().lead(term);
  }
  std::string stored_round() {
    const auto object = world_.stored();
    return object.contains("status") ? object["status"].value("round", "") : "";
  }
  bool released() {
    const auto object = world_.stored();
    return object.contains("status") && object["status"].contains("verdict");
  }
  /// Two pods answer until the job is released.
  std::string release_with_two() {
    EXPECT_TRUE(eventually([&] { return world_.post(0).instruction->master_addr == "10.1.0.10"; }));
    const std::string address = "10.1.0.10";
    world_.ask(world_.token(0), roll_call::to_json(seen(0, address)));
    world_.ask(world_.token(1), roll_call::to_json(seen(1, address)));
    EXPECT_TRUE(eventually([&] { return released(); }));
    return address;
  }
  roll_call::Answer seen(int node_rank, const std::string& address) {
    auto answer = world_.answer(node_rank);
    answer.attempt = 1;
    answer.seen = roll_call::SeenState{1, address};
    return answer;
  }
};

TEST_F(Lead, WhoStandsByRefusesAndSaysWhoLeads) {
  world_.job(1, 2);
  const Said said = world_.post(0);
  EXPECT_EQ(said.status, 503);
  EXPECT_EQ(said.code, "NotLeading");
  EXPECT_THAT(said.body, HasSubstr("rollcall-desk-b_77 does; ask again on a new connection"));
  EXPECT_EQ(world_.api.reviews(), 0) << "a refusal costs nothing";
}

TEST_F(Lead, TheRefusalEndsTheConnectionSoThatTheNextOneIsLedElsewhere) {
  serve::Request request;
  request.method = "POST";
  request.target = "/v1/answer";
  bool closes = false;
  world_.service().handle(request, [&](const serve::Response& response) { closes = response.close; });
  EXPECT_TRUE(closes);
}

TEST_F(Lead, WhoStandsByWritesNothingAndLeadsAtOnceFromWhatItHasSeen) {
  world_.job(1, 2);
  EXPECT_EQ(world_.service().figures().calls, 0U);
  EXPECT_EQ(world_.service().figures().roll_calls, 1U) << "its watch is warm";
  EXPECT_EQ(world_.api.status_writes(), 0);
  lead(4);
  EXPECT_EQ(world_.service().figures().calls, 1U);
  ASSERT_TRUE(eventually([&] { return stored_round() == "4.1"; }));
  release_with_two();
}

TEST_F(Lead, WhatEndedOrWasDeletedWhileStandingByIsNotLed) {
  world_.job(1, 2);
  auto second = testing::roll_call_object(2, 2);
  second["status"]["verdict"] = {{"kind", "Ended"}, {"reason", "PodLost"}, {"message", "gone"}, {"by", "operator"}};
  world_.write_roll_call(second);
  world_.write_roll_call(testing::roll_call_object(3, 2));
  world_.service().roll_call_removed("train", "tj-llama-1", "rc-1");
  lead(1);
  EXPECT_EQ(world_.service().figures().calls, 1U);
}

TEST_F(Lead, ANewTermIsAboveWhatIsStoredWhateverTheLeaseSays) {
  auto object = testing::roll_call_object(1, 2);
  object["status"] = {{"stage", "Gathering"}, {"round", "7.2"}};
  for (int rank : {0, 1}) world_.see_pod(testing::pod_object(rank, 1));
  world_.write_roll_call(object);
  lead(3);  // the Lease was deleted while no desk ran
  EXPECT_TRUE(eventually([&] { return stored_round() == "8.1"; })) << stored_round();
}

TEST_F(Lead, ANewLeaderRebuildsTheRollFromRepeatedAnswers) {
  auto object = testing::roll_call_object(1, 2);
  object["status"] = {{"stage", "AddressSeen"}, {"round", "3.1"}, {"masterAddr", "10.1.0.10"}, {"answered", "2/2"}};
  for (int rank : {0, 1}) world_.see_pod(testing::pod_object(rank, 1));
  world_.write_roll_call(object);
  lead(4);
  EXPECT_FALSE(released()) << "not from what the old leader knew";
  release_with_two();
  EXPECT_EQ(world_.stored()["status"]["verdict"]["kind"], "Released");
}

TEST_F(Lead, ANewLeaderTellsAStoredReleaseWithoutRebuildingTheRoll) {
  auto object = testing::roll_call_object(1, 2);
  object["status"] = {{"stage", "Released"},
                      {"round", "3.1"},
                      {"masterAddr", "10.1.0.10"},
                      {"verdict", {{"kind", "Released"}, {"message", "all passed"}, {"by", "desk"}}}};
  for (int rank : {0, 1}) world_.see_pod(testing::pod_object(rank, 1));
  world_.write_roll_call(object);
  lead(4);
  const Said said = world_.post(1);  // node rank 0 was told by the old leader and has left
  ASSERT_TRUE(said.instruction) << said.body;
  EXPECT_EQ(said.instruction->step, Step::Release);
  EXPECT_EQ(said.instruction->master_addr, "10.1.0.10");
}

/// Replies are held until something happens.
class LeadHolding : public Lead {
 protected:
  LeadHolding() : Lead(10min) {}
};

TEST_F(LeadHolding, AHeldReplyOfADeskThatLostTheLeadIsARefusal) {
  lead(1);
  world_.job(1, 2);
  auto held = world_.ask(world_.token(0), roll_call::to_json(world_.answer(0)));
  ASSERT_TRUE(eventually([&] { return world_.service().figures().held == 1; }));
  leading_ = false;  // SIGSTOP, 20 s, SIGCONT
  world_.service().let_go();
  const Said said = held.get();
  EXPECT_EQ(said.status, 503);
  EXPECT_EQ(said.code, "NotLeading");
}

TEST_F(Lead, AReplyThatWaitedForAReviewIsARefusalWhenTheLeadIsGoneMeanwhile) {
  lead(1);
  world_.job(1, 2);
  const auto honest = world_.api.review;
  world_.api.review = [&](const std::string& token) {
    leading_ = false;
    return honest(token);
  };
  EXPECT_EQ(world_.post(1).code, "NotLeading");
}

TEST_F(Lead, ADeskThatLostTheLeadWritesNoStatus) {
  lead(1);
  world_.job(1, 2);
  ASSERT_TRUE(eventually([&] { return world_.api.status_writes() > 0; }));
  leading_ = false;
  const int asked = asked_;
  world_.job(2, 1);  // wants its first status
  ASSERT_TRUE(eventually([&] { return asked_ > asked; })) << "the writer never came as far as to ask";
  const int writes = world_.api.status_writes();
  const int again = asked_;
  ASSERT_TRUE(eventually([&] { return asked_ > again; })) << "it asks again, since the lead may turn out to be in time";
  EXPECT_EQ(world_.api.status_writes(), writes);
}

TEST_F(Lead, ADeskThatLostTheLeadBeforeItsVerdictReleasesNobody) {
  lead(1);
  world_.job(1, 2);
  ASSERT_TRUE(eventually([&] { return world_.post(0).instruction->master_addr == "10.1.0.10"; }));
  // Stopped after it asked for the lead and before its write came through: the new leader's verdict is there first.
  std::atomic<bool> stopped{false};
  world_.api.before_write = [&] {
    const auto object = world_.stored();
    if (!object["status"].contains("stage") || stopped.exchange(true)) return;
    world_.api.change("train", "tj-llama-1", [](Json& other) {
      other["status"]["verdict"] = {
          {"kind", "Ended"}, {"reason", "HoldExpired"}, {"message", "by the new leader"}, {"by", "desk"}};
    });
    leading_ = false;
  };
  auto one = world_.ask(world_.token(0), roll_call::to_json(seen(0, "10.1.0.10")));
  auto two = world_.ask(world_.token(1), roll_call::to_json(seen(1, "10.1.0.10")));
  ASSERT_TRUE(eventually([&] { return stopped.load(); }));
  for (auto* reply : {&one, &two}) EXPECT_EQ(reply->get().code, "NotLeading");
  EXPECT_EQ(world_.stored()["status"]["verdict"]["message"], "by the new leader");
}

TEST_F(Lead, WhileALateRenewalTurnsOutToHaveBeenInTimeNothingIsForgotten) {
  lead(1);
  leading_ = false;
  world_.job(1, 2);
  ASSERT_TRUE(eventually([&] { return asked_ > 1; }));
  leading_ = true;
  ASSERT_TRUE(eventually([&] { return stored_round() == "1.1"; }));
}

}  // namespace
}  // namespace rollcall::desk
