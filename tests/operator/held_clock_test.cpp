#include "operator/held_clock.h"

#include <gmock/gmock.h>

#include "operator/world.h"

namespace rollcall::operator_ {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing_world::at;

const WallTime kSince = at("2026-11-30T12:00:00Z");

api::RollCall held(int gpus, WallTime since, double before = 0) {
  api::RollCall roll_call;
  roll_call.meta.uid = "u" + std::to_string(gpus);
  roll_call.spec.gpus_per_pod = gpus;
  roll_call.spec.roster.resize(2);
  roll_call.status.stage = "Held";
  roll_call.status.held_since = rfc3339(since);
  roll_call.status.held_seconds = before;
  roll_call.status.findings.push_back({"node/mtu", "warn", "", {}, ""});
  roll_call.status.findings.push_back({"mesh/dropped", "fail", "", {}, ""});
  return roll_call;
}

class Held : public testing::Test {
 protected:
  HeldClock::Cost look(const std::vector<api::RollCall>& all, WallTime now) {
    HeldClock::Cost cost;
    for (const auto& roll_call : all) clock_.look(roll_call, now, cost);
    clock_.end_of_look();
    return cost;
  }
  HeldClock clock_{kSince};
};

TEST_F(Held, GpusOfAllPodsCountFromLookToLook) {
  const auto job = held(8, kSince + 10s);
  EXPECT_THAT(look({job}, kSince + 10s).gpu_seconds, IsEmpty());
  EXPECT_THAT(look({job}, kSince + 40s).gpu_seconds, ElementsAre(Pair("mesh/dropped", 30.0 * 16)));
  EXPECT_THAT(look({job}, kSince + 41s).gpu_seconds, ElementsAre(Pair("mesh/dropped", 16.0)));
}

TEST_F(Held, PodsCountWhereThereAreNoGpus) {
  const auto cost = look({held(0, kSince)}, kSince + 5s);
  EXPECT_THAT(cost.pod_seconds, ElementsAre(Pair("mesh/dropped", 10.0)));
  EXPECT_THAT(cost.gpu_seconds, IsEmpty());
}

TEST_F(Held, WhatWasHeldBeforeThisProcessLedIsNotCountedAgain) {
  const auto cost = look({held(1, kSince - 1h, 500)}, kSince + 5s);
  EXPECT_THAT(cost.gpu_seconds, ElementsAre(Pair("mesh/dropped", 10.0)));
}

TEST_F(Held, HoldThatEndedBetweenTwoLooksIsCountedToItsEnd) {
  auto job = held(1, kSince);
  look({job}, kSince + 10s);
  job.status.stage = "Released";
  job.status.held_since.clear();
  job.status.held_seconds = 12;
  EXPECT_THAT(look({job}, kSince + 60s).gpu_seconds, ElementsAre(Pair("mesh/dropped", 4.0)));
  EXPECT_THAT(look({job}, kSince + 90s).gpu_seconds, IsEmpty());
}

TEST_F(Held, EndedWhileHeldCountsNoMore) {
  auto job = held(1, kSince);
  look({job}, kSince + 10s);
  job.status.verdict = api::Verdict{api::VerdictKind::Ended, api::EndReason::HoldExpired, "", "", "desk", false};
  EXPECT_THAT(look({job}, kSince + 60s).gpu_seconds, IsEmpty());
}

TEST_F(Held, ClockThatIsSetBackCountsNothingTwice) {
  const auto job = held(1, kSince);
  look({job}, kSince + 100s);
  EXPECT_THAT(look({job}, kSince + 50s).gpu_seconds, IsEmpty());
  EXPECT_THAT(look({job}, kSince + 101s).gpu_seconds, ElementsAre(Pair("mesh/dropped", 2.0)));
}

TEST_F(Held, CauseWithoutAFindingIsUnknown) {
  auto job = held(1, kSince);
  job.status.findings.clear();
  EXPECT_THAT(look({job}, kSince + 1s).gpu_seconds, ElementsAre(Pair("unknown", 2.0)));
}

}  // namespace
}  // namespace rollcall::operator_
