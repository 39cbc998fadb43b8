#include "kube/leader/election.h"

#include <gtest/gtest.h>

namespace rollcall::kube {
namespace {

using namespace std::chrono_literals;
using Act = Election::Act;

LeaseRecord held_by(const std::string& holder, std::int64_t transitions = 4, const std::string& renewed = "r1") {
  return {holder, 15s, transitions, "a1", renewed};
}

/// One process's election, on a clock that the test moves.
class Elections : public testing::Test {
 protected:
  double chance_ = 0;
  Election::TimePoint now_{1'000'000s};
  Election me_{"me", {}, [this] { return chance_; }};

  Act act() { return me_.next(now_).act; }
  /// Waits as long as it is told to; how long that was.
  std::chrono::milliseconds rest() {
    const auto step = me_.next(now_);
    EXPECT_EQ(step.act, Act::Wait);
    now_ += step.wait;
    return step.wait;
  }
  LeaseRecord write(Act expected) {
    auto step = me_.next(now_);
    EXPECT_EQ(step.act, expected);
    step.record.renew_time = "r" + std::to_string(now_.time_since_epoch().count());
    if (step.record.acquire_time.empty()) step.record.acquire_time = step.record.renew_time;
    me_.wrote(step.record, now_);
    return step.record;
  }
  void win() {
    EXPECT_EQ(act(), Act::Get);
    me_.missing(now_);
    write(Act::Create);
    EXPECT_TRUE(me_.leading(now_));
  }
};

TEST_F(Elections, ALeaseThatDoesNotExistIsCreatedAndWon) {
  EXPECT_EQ(act(), Act::Get);
  me_.missing(now_);
  EXPECT_FALSE(me_.leading(now_));
  const auto record = write(Act::Create);
  EXPECT_EQ(record.holder, "me");
  EXPECT_EQ(record.duration, 15s);
  EXPECT_EQ(record.transitions, 0);
  EXPECT_TRUE(me_.leading(now_));
  EXPECT_EQ(me_.holder(), "me");
}

TEST_F(Elections, TheLeaderRenewsEveryTwoSecondsWithoutReadingFirst) {
  win();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(rest(), 2s);
    EXPECT_EQ(write(Act::Update).transitions, 0);
  }
}

TEST_F(Elections, TheLeadCountsFromTheSendingOfTheLastRenewal) {
  win();
  EXPECT_TRUE(me_.leading(now_ + 9'999ms));
  EXPECT_FALSE(me_.leading(now_ + 10s));
  rest();
  auto step = me_.next(now_);
  const auto sent = now_;
  now_ += 4s;  // the reply was slow
  me_.wrote(step.record, sent);
  EXPECT_TRUE(me_.leading(sent + 9'999ms));
  EXPECT_FALSE(me_.leading(sent + 10s)) << "counted from the reply";
}

TEST_F(Elections, ALeaderThatCannotRenewTriesForTenSecondsAndHasLost) {
  win();
  const auto won = now_;
  int tries = 0;
  for (;;) {
    rest();
    const auto step = me_.next(now_);
    if (step.act == Act::Lost) {
      EXPECT_EQ(step.why, "the lease was not renewed for 10 s; last: no route");
      break;
    }
    ASSERT_EQ(step.act, Act::Update);
    ++tries;
    me_.failed("no route");
  }
  EXPECT_EQ(now_ - won, 10s);
  EXPECT_EQ(tries, 4);
  EXPECT_FALSE(me_.leading(now_));
  EXPECT_EQ(act(), Act::Lost) << "what is lost stays lost";
}

TEST_F(Elections, AStoppedAndWokenLeaderHasLostWhateverTheReplySays) {
  win();
  rest();
  const auto step = me_.next(now_);
  ASSERT_EQ(step.act, Act::Update);
  const auto sent = now_;
  now_ += 20s;  // SIGSTOP between the request and its reply
  EXPECT_FALSE(me_.leading(now_));
  me_.wrote(step.record, sent);
  EXPECT_FALSE(me_.leading(now_));
  EXPECT_EQ(act(), Act::Lost);
}

TEST_F(Elections, AnothersLeaseIsTakenOnlyAfterItsDurationUnchangedByOurClock) {
  EXPECT_EQ(act(), Act::Get);
  me_.read(held_by("other"), now_);
  const auto seen = now_;
  while (now_ - seen < 15s) {
    EXPECT_FALSE(me_.may_take(now_));
    rest();
    EXPECT_EQ(act(), Act::Get);
    me_.read(held_by("other"), now_);
  }
  EXPECT_TRUE(me_.may_take(now_));
  EXPECT_LT(now_ - seen, 17s);
  const auto record = write(Act::Update);
  EXPECT_EQ(record.transitions, 5) << "a new holder is a transition";
  EXPECT_EQ(me_.transitions(), 5);
  EXPECT_TRUE(me_.leading(now_));
}

TEST_F(Elections, EachRenewalOfTheOtherBeginsTheWaitAnew) {
  act();
  me_.read(held_by("other", 4, "r1"), now_);
  now_ += 14s;
  rest();
  act();
  me_.read(held_by("other", 4, "r2"), now_);
  now_ += 14s;
  EXPECT_FALSE(me_.may_take(now_));
  now_ += 1s;
  EXPECT_TRUE(me_.may_take(now_));
}

TEST_F(Elections, TheTimesInTheRecordMeanNothing) {
  for (const char* written : {"1970-01-01T00:00:00.000000Z", "2999-01-01T00:00:00.000000Z", "never"}) {
    Election one("me", {}, [] { return 0.0; });
    const auto start = now_;
    one.next(now_);
    one.read(held_by("other", 4, written), now_);
    EXPECT_FALSE(one.may_take(start + 14'999ms)) << written;
    EXPECT_TRUE(one.may_take(start + 15s)) << written;
  }
}

TEST_F(Elections, TheDurationInTheRecordIsItsHoldersPromise) {
  act();
  auto record = held_by("other");
  record.duration = 40s;
  me_.read(record, now_);
  EXPECT_FALSE(me_.may_take(now_ + 39s));
  EXPECT_TRUE(me_.may_take(now_ + 40s));
}

TEST_F(Elections, ADurationOfYearsKeepsNobodyFromLeading) {
  act();
  auto record = held_by("other");
  record.duration = 68LL * 365 * 24h;
  me_.read(record, now_);
  EXPECT_TRUE(me_.may_take(now_ + 15s)) << "one write could stop the add-on for ever";
}

TEST_F(Elections, TransitionsThatSomebodyWroteToTheirEndKeepNobodyFromLeading) {
  EXPECT_EQ(act(), Act::Get);
  me_.read(held_by("", INT32_MAX), now_);
  EXPECT_EQ(write(Act::Update).transitions, INT32_MAX);
  EXPECT_TRUE(me_.leading(now_));
}

TEST_F(Elections, ALeaseGivenBackIsTakenAtOnce) {
  act();
  me_.read({"", 1s, 4, "a1", "r1"}, now_);
  EXPECT_EQ(write(Act::Update).transitions, 5);
}

TEST_F(Elections, WhoIsBeatenToALeaseLooksAgainLater) {
  act();
  me_.read({"", 1s, 4, "a1", "r1"}, now_);
  EXPECT_EQ(act(), Act::Update);
  me_.beaten("conflict");
  EXPECT_FALSE(me_.leading(now_));
  rest();
  EXPECT_EQ(act(), Act::Get);
  me_.read(held_by("other", 5), now_);
  EXPECT_EQ(act(), Act::Wait);
}

TEST_F(Elections, TwoWhoCreateAtOnceHaveOneWinner) {
  act();
  me_.missing(now_);
  EXPECT_EQ(act(), Act::Create);
  me_.beaten("already exists");
  EXPECT_EQ(act(), Act::Get) << "it may be our own first sending";
  me_.read(held_by("other", 0), now_);
  EXPECT_EQ(act(), Act::Wait);
  EXPECT_FALSE(me_.leading(now_));
}

TEST_F(Elections, OurOwnFirstSendingOfACreateIsOurs) {
  act();
  me_.missing(now_);
  EXPECT_EQ(act(), Act::Create);
  me_.beaten("already exists");
  EXPECT_EQ(act(), Act::Get);
  me_.read(held_by("me", 0), now_);
  EXPECT_FALSE(me_.leading(now_)) << "not before a write of which we know when it was sent";
  EXPECT_EQ(write(Act::Update).transitions, 1);
  EXPECT_TRUE(me_.leading(now_));
}

TEST_F(Elections, ALeaderThatMeetsAConflictLooksAndRenewsWhenTheLeaseIsStillIts) {
  win();
  rest();
  EXPECT_EQ(act(), Act::Update);
  me_.beaten("conflict");  // its own renewal, sent twice; or a person's label
  EXPECT_EQ(act(), Act::Get);
  me_.read(held_by("me", 0), now_);
  EXPECT_EQ(write(Act::Update).transitions, 0) << "no new term";
}

TEST_F(Elections, ALeaderThatMeetsConflictAfterConflictDoesNotSpin) {
  win();
  rest();
  EXPECT_EQ(act(), Act::Update);
  me_.beaten("conflict");
  EXPECT_EQ(act(), Act::Get);
  me_.read(held_by("me", 0), now_);
  EXPECT_EQ(act(), Act::Update);
  me_.beaten("conflict");
  EXPECT_EQ(rest(), 2s);
}

TEST_F(Elections, ALeaderThatSeesAnothersNameHasLostAtOnce) {
  win();
  rest();
  act();
  me_.beaten("conflict");
  act();
  me_.read(held_by("other", 1), now_);
  EXPECT_FALSE(me_.leading(now_));
  EXPECT_EQ(me_.next(now_).why, "the lease is held by other");
  EXPECT_EQ(me_.holder(), "other");
}

TEST_F(Elections, ALeaderWhoseLeaseWasEmptiedHasLost) {
  win();
  rest();
  act();
  me_.beaten("conflict");
  act();
  me_.read({"", 1s, 0, "a1", "r9"}, now_);
  EXPECT_EQ(act(), Act::Lost);
}

TEST_F(Elections, ADeletedLeaseIsMadeAnewByItsLeaderAndByNobodyElse) {
  win();
  rest();
  EXPECT_EQ(act(), Act::Update);
  me_.missing(now_);
  EXPECT_EQ(write(Act::Create).transitions, 0) << "the same term";
  EXPECT_TRUE(me_.leading(now_));

  Election other("other", {}, [] { return 0.0; });
  other.next(now_);
  other.read(held_by("me", 7), now_);
  other.next(now_);
  EXPECT_EQ(other.next(now_ + 2s).act, Act::Get);
  other.missing(now_ + 2s);
  EXPECT_EQ(other.next(now_ + 2s).act, Act::Wait) << "a deletion must not make two leaders";
  EXPECT_EQ(other.next(now_ + 15s).act, Act::Get);
  other.missing(now_ + 15s);
  const auto step = other.next(now_ + 15s);
  EXPECT_EQ(step.act, Act::Create);
  EXPECT_EQ(step.record.transitions, 8) << "terms never begin anew";
}

TEST_F(Elections, TheWaitingAreSpreadOverTwoToFourSeconds) {
  for (const auto& [chance, expected] : {std::pair{0.0, 2'000ms}, std::pair{0.5, 3'200ms}, std::pair{0.999, 4'397ms}}) {
    chance_ = chance;
    EXPECT_EQ(act(), Act::Get);
    me_.read(held_by("other", 4, std::to_string(chance)), now_);
    EXPECT_EQ(rest(), expected);
  }
}

TEST_F(Elections, GivingBackLeavesAnEmptyRecordOfOneSecond) {
  win();
  const auto record = me_.resign(now_);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->holder, "");
  EXPECT_EQ(record->duration, 1s);
  EXPECT_EQ(record->transitions, 0);
  EXPECT_FALSE(me_.leading(now_));
}

TEST_F(Elections, WhatIsNotOursAnyMoreIsNotGivenBack) {
  win();
  EXPECT_FALSE(me_.resign(now_ + 10s)) << "another may hold it by now";
  Election waiting("waiting", {}, [] { return 0.0; });
  EXPECT_FALSE(waiting.resign(now_));
}

TEST(LeaseTimesCheck, KeepsClientGosOrder) {
  EXPECT_TRUE(check(LeaseTimes{}));
  EXPECT_TRUE(check(LeaseTimes{3s, 2s, 500ms}));
  const auto same = check(LeaseTimes{10s, 10s, 2s});
  ASSERT_FALSE(same);
  EXPECT_NE(same.error().message.find("lease duration (10 s) must be longer than the renew deadline (10 s)"),
            std::string::npos);
  EXPECT_FALSE(check(LeaseTimes{15s, 2400ms, 2s}));
  EXPECT_FALSE(check(LeaseTimes{15s, 10s, 0s}));
}

TEST(LeaseJson, IsReadAndWrittenAsClientGoDoes) {
  using Json = nlohmann::json;
  Json lease{{"metadata", {{"name", "x"}, {"labels", {{"a", "b"}}}}}, {"spec", {{"strategy", "kept"}}}};
  put({"me", 15s, 3, "2026-11-30T10:00:00.000001Z", "2026-11-30T10:00:02.000001Z"}, lease);
  EXPECT_EQ(lease["spec"], (Json{{"strategy", "kept"},
                                 {"holderIdentity", "me"},
                                 {"leaseDurationSeconds", 15},
                                 {"leaseTransitions", 3},
                                 {"acquireTime", "2026-11-30T10:00:00.000001Z"},
                                 {"renewTime", "2026-11-30T10:00:02.000001Z"}}));
  const auto read = lease_record_from(lease);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->holder, "me");
  EXPECT_EQ(read->duration, 15s);
  EXPECT_EQ(read->transitions, 3);
  put({"", 1500ms, 3, "a", "r"}, lease);
  EXPECT_FALSE(lease["spec"].contains("holderIdentity"));
  EXPECT_EQ(lease["spec"]["leaseDurationSeconds"], 2) << "never less than was meant";
}

TEST(LeaseJson, AnEmptySpecIsNobodysAndAnOddOneAnError) {
  EXPECT_EQ(lease_record_from(nlohmann::json{{"metadata", {}}}).value().holder, "");
  EXPECT_EQ(lease_record_from({{"spec", {{"holderIdentity", nullptr}}}}).value().holder, "");
  EXPECT_FALSE(lease_record_from({{"spec", {{"holderIdentity", 7}}}}));
  EXPECT_FALSE(lease_record_from({{"spec", {{"leaseTransitions", -1}}}}));
  EXPECT_FALSE(lease_record_from({{"spec", {{"leaseDurationSeconds", "15"}}}}));
  EXPECT_FALSE(lease_record_from({{"spec", "x"}}));
}

TEST(LeaseJson, MicroTimeHasSixDecimals) {
  const std::chrono::system_clock::time_point time{std::chrono::seconds(1'796'032'990) + 42us};
  EXPECT_EQ(micro_time(time), "2026-11-30T10:03:10.000042Z");
}

}  // namespace
}  // namespace rollcall::kube
