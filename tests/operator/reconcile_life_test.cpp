// Suspension, deletion, deadline and the time after the end.
#include <gmock/gmock.h>

#include "operator/conditions.h"
#include "operator/reconcile.h"
#include "operator/world.h"

namespace rollcall::operator_ {
namespace {

using namespace testing_world;
using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST(Life, SuspendWhileHeldEndsTheAttemptAndSpendsNothing) {
  World world;
  world.until_called();
  world.desk_writes({{"stage", "Held"}, {"message", "x"}});
  world.settle();
  world.person_sets("suspend", true);
  world.settle();
  EXPECT_EQ(world.roll_call()["status"]["verdict"]["reason"], "Suspended");
  EXPECT_EQ(world.status().phase, "Suspended");
  EXPECT_EQ(world.status().retries_used, 0);
  EXPECT_EQ(reason_of(world, "Suspended"), "True/SuspendedBySpec");
  EXPECT_TRUE(world.pod(0)["metadata"].contains("deletionTimestamp"));
  world.kubelets_let_go();
  world.settle();
  EXPECT_FALSE(world.has_pod(0, 2));
  world.person_sets("suspend", false);
  world.settle();
  EXPECT_TRUE(world.has_pod(0, 2)) << "at once";
  EXPECT_EQ(reason_of(world, "Suspended"), "False/Resumed");
}

TEST(Life, JobCreatedSuspendedHasNoPods) {
  World world(2, {{"suspend", true}});
  world.settle();
  EXPECT_EQ(world.status().phase, "Suspended");
  EXPECT_FALSE(world.has_pod(0));
  world.person_sets("suspend", false);
  world.settle();
  EXPECT_TRUE(world.has_pod(0));
}

TEST(Life, SuspendWhileTrainingEndsIt) {
  World world;
  world.until_running();
  world.person_sets("suspend", true);
  world.settle();
  EXPECT_EQ(world.roll_call()["status"]["end"]["reason"], "Suspended");
  EXPECT_EQ(world.status().phase, "Suspended");
  EXPECT_TRUE(world.pod(1)["metadata"].contains("deletionTimestamp"));
}

TEST(Life, SuspendBeforeTheRosterLeavesNoPods) {
  World world;
  world.client.refusals["create pods/ml/llama-1-1"] = {403, "Forbidden", "exceeded quota", 0};
  world.look();
  world.person_sets("suspend", true);
  world.settle();
  EXPECT_FALSE(world.has_pod(0));
  EXPECT_EQ(world.status().phase, "Suspended");
}

TEST(Life, DeletedJobEndsItsRollCall) {
  World world;
  world.until_called();
  world.object(World::kJob)["metadata"]["deletionTimestamp"] = "2026-11-30T12:00:00Z";
  world.settle();
  EXPECT_EQ(world.roll_call()["status"]["verdict"]["reason"], "JobDeleted");
}

// ------------------------------------------------------------------------------------- suspension at every phase
struct PhaseCase {
  const char* phase;
  void (*until)(World&);
  const char* ended_by;  ///< where the RollCall tells of it; nullptr = there is none
};
class Suspension : public testing::TestWithParam<PhaseCase> {};

TEST_P(Suspension, DeletesThePodsSpendsNothingAndTheNextAttemptFollows) {
  World world;
  GetParam().until(world);
  ASSERT_EQ(world.status().phase, GetParam().phase);
  world.person_sets("suspend", true);
  world.settle();
  EXPECT_EQ(world.status().phase, "Suspended");
  if (GetParam().ended_by != nullptr) {
    const auto& end = world.roll_call()["status"][GetParam().ended_by];
    EXPECT_EQ(end["reason"], "Suspended");
    EXPECT_EQ(end.value("kind", "Ended"), "Ended") << "of a verdict";
  }
  world.kubelets_let_go();
  world.settle();
  EXPECT_FALSE(world.has_pod(0) || world.has_pod(1));
  EXPECT_EQ(world.status().message, "Suspended by spec.suspend; no pods and no GPUs are held.");
  EXPECT_EQ(world.status().retries_used, 0);
  EXPECT_EQ(world.status().attempt, 2);
  world.pass(1h);
  world.person_sets("suspend", false);
  world.settle();
  EXPECT_TRUE(world.has_pod(0, 2) && world.has_pod(1, 2));
  EXPECT_EQ(world.status().phase, "Pending");
  EXPECT_THAT(world.event_reasons(), Contains("Resumed"));
  world.until_running(2, 2);
  EXPECT_EQ(world.status().phase, "Running");
}

INSTANTIATE_TEST_SUITE_P(Phases, Suspension,
                         testing::Values(PhaseCase{"Pending", [](World& world) { world.settle(); }, "verdict"},
                                         PhaseCase{"RollCall", [](World& world) { world.until_called(); }, "verdict"},
                                         PhaseCase{"Held",
                                                   [](World& world) {
                                                     world.until_called();
                                                     world.desk_writes({{"stage", "Held"}, {"message", "x"}});
                                                     world.settle();
                                                   },
                                                   "verdict"},
                                         PhaseCase{"Released", [](World& world) { world.until_released(); }, "end"},
                                         PhaseCase{"Running", [](World& world) { world.until_running(); }, "end"}),
                         [](const auto& phase) { return std::string(phase.param.phase); });

TEST(Life, PodsThatStillEndAreToldWhileSuspended) {
  World world;
  world.until_running();
  world.person_sets("suspend", true);
  world.settle();
  EXPECT_EQ(world.status().message, "Suspended by spec.suspend; 2 pods have not ended yet.");
}

TEST(Life, SuspensionThatMeetsALostPodSpendsNothing) {
  World world;
  world.until_running();
  world.pod(1)["status"].update(Json{{"phase", "Failed"}, {"reason", "Evicted"}});
  world.person_sets("suspend", true);
  world.settle();
  EXPECT_EQ(world.roll_call()["status"]["end"]["reason"], "Suspended");
  EXPECT_EQ(world.status().retries_used, 0);
}

TEST(Life, ATrainerThatHasFailedFailsTheJobThoughItIsBeingSuspended) {
  World world;
  world.until_running();
  world.trainer_ends(1, 1, "Error");
  world.person_sets("suspend", true);
  world.settle();
  EXPECT_EQ(reason_of(world, "Failed"), "True/TrainerFailed");
}

// ------------------------------------------------------------------------------------------ activeDeadlineSeconds
TEST(Deadline, RunsFromTheFirstReleaseAndEndsTheSurvivors) {
  World world(2, {{"activeDeadlineSeconds", 600}});
  world.until_called();
  world.pass(1h);
  world.settle();
  EXPECT_EQ(world.status().phase, "RollCall") << "no release, no clock";
  world.desk_names_address();
  world.settle();
  world.desk_releases();
  world.settle();
  world.trainer_runs(0);
  world.trainer_runs(1);
  world.settle();
  EXPECT_EQ(world.look_again, 600s) << "it wakes up by itself";
  world.pass(599s);
  world.settle();
  EXPECT_EQ(world.status().phase, "Running");
  world.pass(1s);
  world.settle();
  EXPECT_EQ(world.status().phase, "Failed");
  EXPECT_EQ(reason_of(world, "Failed"), "True/DeadlineExceeded");
  EXPECT_EQ(world.status().message,
            "spec.activeDeadlineSeconds (600) is over, counted from the first release at 2026-11-30T13:00:00Z. What "
            "still runs is ended.");
  EXPECT_EQ(world.pod(0)["spec"]["activeDeadlineSeconds"], 1);
  EXPECT_EQ(world.roll_call()["status"]["end"]["reason"], "JobFinished");
}

TEST(Deadline, DoesNotCountTimeSuspended) {
  World world(2, {{"activeDeadlineSeconds", 600}});
  world.until_running();
  world.pass(100s);
  world.person_sets("suspend", true);
  world.settle();
  world.kubelets_let_go();
  world.pass(10h);
  world.settle();
  EXPECT_EQ(world.status().phase, "Suspended");
  EXPECT_EQ(world.look_again, std::nullopt) << "a suspended job waits for nothing";
  world.person_sets("suspend", false);
  world.settle();
  EXPECT_EQ(world.status().suspended_seconds, 36000);
  world.until_running(2, 2);
  world.pass(499s);
  world.settle();
  EXPECT_EQ(world.status().phase, "Running");
  world.pass(1s);
  world.settle();
  EXPECT_EQ(reason_of(world, "Failed"), "True/DeadlineExceeded");
  EXPECT_THAT(world.status().message, HasSubstr("without 10 h"));
}

TEST(Deadline, RunsOnWhileALaterAttemptIsCalled) {
  World world(2, {{"activeDeadlineSeconds", 600}});
  world.until_running();
  world.pod(1)["status"].update(Json{{"phase", "Failed"}, {"reason", "Evicted"}});
  world.settle();
  world.kubelets_let_go();
  world.pass(60s);
  world.settle();
  world.until_called(2, 2);
  world.pass(600s);
  world.settle();
  EXPECT_EQ(reason_of(world, "Failed"), "True/DeadlineExceeded");
  EXPECT_EQ(world.roll_call(2)["status"]["verdict"]["reason"], "JobFinished");
}

TEST(Deadline, SuspendedBeforeTheFirstReleaseTakesNothingOff) {
  World world(2, {{"activeDeadlineSeconds", 600}, {"suspend", true}});
  world.settle();
  world.pass(1h);
  world.person_sets("suspend", false);
  world.settle();
  world.until_running();
  EXPECT_EQ(world.status().suspended_seconds, 0);
}

TEST(Deadline, MayBeChangedWhileItRuns) {
  World world(2, {{"activeDeadlineSeconds", 600}});
  world.until_running();
  world.pass(500s);
  world.person_sets("activeDeadlineSeconds", 1200);
  world.settle();
  world.pass(600s);
  world.settle();
  EXPECT_EQ(world.status().phase, "Running");
  world.person_sets("activeDeadlineSeconds", 100);
  world.settle();
  EXPECT_EQ(reason_of(world, "Failed"), "True/DeadlineExceeded");
}

TEST(Deadline, TrainersThatHaveAllSucceededAreASuccess) {
  World world(2, {{"activeDeadlineSeconds", 600}});
  world.until_running();
  world.trainer_ends(0, 0, "Completed");
  world.trainer_ends(1, 0, "Completed");
  world.pass(601s);
  world.settle();
  EXPECT_EQ(world.status().phase, "Succeeded");
}

// --------------------------------------------------------------------------------------- ttlSecondsAfterFinished
void until_succeeded(World& world) {
  world.until_running();
  world.trainer_ends(0, 0, "Completed");
  world.trainer_ends(1, 0, "Completed");
  world.settle();
}

TEST(Ttl, DeletesTheFinishedJobThatLongAfterItsEnd) {
  World world(2, {{"ttlSecondsAfterFinished", 60}});
  until_succeeded(world);
  EXPECT_EQ(world.look_again, 60s);
  world.pass(59s);
  world.settle();
  EXPECT_TRUE(world.client.objects.contains(World::kJob));
  world.pass(1s);
  world.look();
  EXPECT_FALSE(world.client.objects.contains(World::kJob));
  EXPECT_THAT(world.client.writes, Contains("delete trainingjobs/ml/llama"));
}

TEST(Ttl, ZeroDeletesAtOnceAndWithoutOneTheJobStays) {
  World at_once(2, {{"ttlSecondsAfterFinished", 0}});
  at_once.until_running();
  at_once.trainer_ends(1, 1, "Error");
  at_once.look();
  at_once.look();
  EXPECT_FALSE(at_once.client.objects.contains(World::kJob)) << "a failed one too";
  World stays;
  until_succeeded(stays);
  stays.pass(10000h);
  stays.settle();
  EXPECT_TRUE(stays.client.objects.contains(World::kJob));
}

TEST(Ttl, ChangedAfterTheEndCountsAnew) {
  World world(2, {{"ttlSecondsAfterFinished", 60}});
  until_succeeded(world);
  world.pass(30s);
  world.person_sets("ttlSecondsAfterFinished", 600);
  world.settle();
  EXPECT_EQ(world.look_again, 570s);
  world.pass(570s);
  world.look();
  EXPECT_FALSE(world.client.objects.contains(World::kJob));
}

TEST(Ttl, RaisedWhileTheCacheIsBehindKeepsTheJob) {
  World world(2, {{"ttlSecondsAfterFinished", 60}});
  until_succeeded(world);
  world.pass(60s);
  const auto observed = world.observe();
  const auto decision = reconcile(observed, world.now);
  world.person_sets("ttlSecondsAfterFinished", 600);
  kube::EventRecorder recorder(world.client, "test");
  const ApplyObserver nobody{[](const char*, const std::string&) {},
                             [](const char*, const std::string&, const std::string&) {}, [](const Event&) {}};
  EXPECT_EQ(apply(world.client, recorder, observed, decision, world.now, nobody), Applied::Again);
  EXPECT_TRUE(world.client.objects.contains(World::kJob));
}

// -------------------------------------------------------------------------------------------------- drained nodes
/// `kubectl drain`: the eviction marks the pod and asks for its deletion.
void evict(World& world, int rank, int attempt = 1) {
  auto& pod = world.pod(rank, attempt);
  pod["status"]["conditions"].push_back(
      {{"type", "DisruptionTarget"}, {"status", "True"}, {"message", "Eviction API: evicting"}});
  pod["metadata"]["deletionTimestamp"] = rfc3339(world.now + 30s);
  pod["metadata"]["deletionGracePeriodSeconds"] = 30;
}

TEST(Drain, WhileHeldEndsTheAttemptAndTheNextIsCalledElsewhere) {
  World world;
  world.until_called();
  world.desk_writes({{"stage", "Held"}, {"message", "x"}});
  world.settle();
  evict(world, 1);
  world.settle();
  EXPECT_EQ(world.roll_call()["status"]["verdict"]["reason"], "PodLost");
  EXPECT_THAT(world.roll_call()["status"]["verdict"]["message"], HasSubstr("Eviction API: evicting"));
  EXPECT_EQ(world.status().retries_used, 1);
  world.kubelets_let_go();
  world.pass(60s);
  world.settle();
  EXPECT_TRUE(world.has_pod(0, 2) && world.has_pod(1, 2)) << "nothing is stuck";
  world.until_running(2, 2);
  EXPECT_EQ(world.status().phase, "Running");
}

TEST(Drain, WhileRunningEndsTheAttemptAndTheNextFollows) {
  World world;
  world.until_running();
  evict(world, 0);
  world.settle();
  EXPECT_EQ(world.roll_call()["status"]["end"]["reason"], "PodLost");
  world.kubelets_let_go();
  world.pass(60s);
  world.settle();
  EXPECT_TRUE(world.has_pod(0, 2) && world.has_pod(1, 2));
}

TEST(Drain, OfANodeWhoseTrainerHasSucceededTakesNothingBack) {
  World world;
  world.until_running();
  world.trainer_ends(1, 0, "Completed");
  world.settle();
  EXPECT_EQ(world.status().succeeded, "1");
  evict(world, 1);
  world.settle();
  world.kubelets_let_go();
  world.settle();
  ASSERT_FALSE(world.has_pod(1));
  EXPECT_EQ(world.status().phase, "Running");
  EXPECT_EQ(world.status().message, "1 of 2 trainers running, 1 succeeded.");
  world.trainer_ends(0, 0, "Completed");
  world.settle();
  EXPECT_EQ(world.status().phase, "Succeeded");
}

TEST(Drain, ATrainerThatEndsWellBecauseItIsToldToHasNotSucceeded) {
  World world;
  world.until_running();
  evict(world, 1);
  world.trainer_ends(1, 0, "Completed");  // seen together: the operator was away
  world.settle();
  EXPECT_EQ(world.roll_call()["status"]["end"]["reason"], "PodLost");
  EXPECT_EQ(world.status().succeeded, "");
}

TEST(Drain, WhatSucceededInOneAttemptDoesNotCountInTheNext) {
  World world;
  world.until_running();
  world.trainer_ends(1, 0, "Completed");
  world.settle();
  evict(world, 0);
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.status().succeeded, "");
}

}  // namespace
}  // namespace rollcall::operator_
