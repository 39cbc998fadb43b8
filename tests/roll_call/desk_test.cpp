#include "roll_call/desk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "roll_call/world.h"

// The design's section "The roll call", a sentence a test, for the desk's side.
namespace rollcall::roll_call::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Desk, ASoundJobIsReleased) {
  World world(3);
  world.see_all();
  world.round();
  ASSERT_TRUE(world.asked);
  EXPECT_EQ(world.asked->kind, api::VerdictKind::Released);
  EXPECT_EQ(world.asked->by, "desk");
  EXPECT_FALSE(world.asked->overridden);
  EXPECT_THAT(world.asked->message, HasSubstr("all 3 nodes answered, passed every stage that ran and see the address. "
                                              "MASTER_ADDR is 10.0.0.1, MASTER_PORT 29500"));
  EXPECT_EQ(world.stage_state("Comparison"), "Passed");
  EXPECT_EQ(world.stage_state("Gpu"), "Skipped: the job asks for no GPU");
  EXPECT_EQ(world.stage_state("MasterPort"), "Passed");
  EXPECT_THAT(world.stage_state("Mesh"), HasSubstr("Passed: 6 connections"));
  EXPECT_EQ(world.stage_state("AddressSeen"), "Passed");
  EXPECT_EQ(world.status().answered, "3/3");
}

TEST(Desk, TheVerdictIsWrittenBeforeItIsTold) {
  World world(2);
  world.see_all();
  world.round();
  ASSERT_TRUE(world.asked);
  world.exchange(3);
  EXPECT_EQ(world.writes, 1);
  for (const auto& probe : world.probes) EXPECT_EQ(world.desk->instruction_for(probe.uid, world.now)->step, Step::Wait);
  world.store();
  for (const auto& probe : world.probes)
    EXPECT_EQ(world.desk->instruction_for(probe.uid, world.now)->step, Step::Release);
  EXPECT_EQ(world.status().stage, "Released");
}

TEST(Desk, AVerdictOfAnotherWriterIsTheOne) {
  World world(2);
  world.see_all();
  world.round();
  api::Verdict theirs{api::VerdictKind::Ended, api::EndReason::Suspended, "suspended", "", "operator", false};
  world.hear(VerdictStored{theirs});
  world.hear(VerdictStored{*world.asked});  // a late word about ours changes nothing
  EXPECT_EQ(world.desk->instruction_for("uid-0", world.now)->step, Step::End);
  EXPECT_THAT(world.desk->instruction_for("uid-0", world.now)->message, HasSubstr("Ended (Suspended): suspended."));
  EXPECT_EQ(world.status().verdict->by, "operator");
}

TEST(Desk, AFailedWriteIsAskedForAgain) {
  World world(2);
  world.see_all();
  world.round();
  EXPECT_EQ(world.writes, 1);
  const auto said = world.hear(VerdictWriteFailed{"503"});
  EXPECT_FALSE(said.write_verdict);
  ASSERT_TRUE(said.wake_at);
  world.pass(2s);
  EXPECT_EQ(world.writes, 2);
  world.store();
  EXPECT_EQ(world.status().stage, "Released");
}

TEST(Desk, ADeskThatReadsAVerdictTellsItAtOnce) {
  World world(2);
  world.roll_call.status.verdict =
      api::Verdict{api::VerdictKind::Released, std::nullopt, "all answered", "", "desk", false};
  world.new_desk(7);
  EXPECT_EQ(world.desk->instruction_for("uid-1", world.now)->step, Step::Release);
}

TEST(Desk, AfterTheVerdictTheRecordStays) {
  World world(2);
  world.see_all();
  world.round();
  world.store();
  const auto record = api::to_json(world.status());
  EXPECT_EQ(world.status().answered, "2/2");
  // The trainers end, the pods go; a new desk reads what is stored, sees the pods gone and hears a late probe.
  const auto all_is_over = [&] {
    for (int i = 0; i < 2; ++i) {
      PodView over = world.view(i);
      over.gone = true;
      over.address = "";
      EXPECT_FALSE(world.hear(PodSeen{over}).status_changed);
    }
    EXPECT_FALSE(world.hear(AnswerHeard{world.answer_of(0)}).status_changed);
    EXPECT_FALSE(world.hear(Tick{}).status_changed);
    EXPECT_EQ(api::to_json(world.status()), record);
  };
  all_is_over();
  world.roll_call.status = world.status();
  world.new_desk(2);
  all_is_over();
  EXPECT_EQ(world.desk->instruction_for("uid-1", world.now)->step, Step::Release);
}

TEST(Desk, AStrangerGetsNothing) {
  World world(2);
  EXPECT_FALSE(world.desk->instruction_for("uid-9", world.now));
  Answer answer;
  answer.pod_uid = "uid-9";
  answer.boot_nonce = "x";
  world.hear(AnswerHeard{answer});
  EXPECT_EQ(world.status().answered, "0/2");
}

TEST(Desk, TheAddressIsNamedAsSoonAsNodeRank0Answers) {
  World world(3);
  world.see_all();
  world.post(1);
  EXPECT_EQ(world.status().master_addr, "");
  world.post(0);
  EXPECT_EQ(world.status().master_addr, "10.0.0.1");
  EXPECT_EQ(world.status().stage, "Gathering");
}

TEST(Desk, AnAssertedAddressMustBeNodeRank0s) {
  World world(2, [](api::RollCall& r) { r.spec.master_addr = "192.168.7.7"; });
  world.see_all();
  world.round();
  EXPECT_EQ(world.status().stage, "Held");
  EXPECT_THAT(world.finding("master-addr/not-owned"),
              HasSubstr("masterAddr is 192.168.7.7, but node rank 0 runs on gpu-1, which has 10.0.0.1"));

  World owned(2, [](api::RollCall& r) { r.spec.master_addr = "10.0.0.1"; });
  owned.see_all();
  owned.round();
  EXPECT_EQ(owned.asked->kind, api::VerdictKind::Released);
}

// Gathering.

TEST(Gathering, NoRoundFailsBeforeTheLastProbeHasStarted) {
  World world(3);
  world.probes[2].running = false;
  world.see_all();
  world.pass(1700s);
  EXPECT_EQ(world.status().stage, "Gathering");
  EXPECT_EQ(world.writes, 0);
  EXPECT_THAT(world.status().message,
              HasSubstr("2 of 3 nodes have answered; node rank 2 (pod llama-ft-2-2 on gpu-3) has not started the "
                        "probe: pulling image. "
                        "Nothing was started. The pods' places go back to the queue at 12:30:00Z"));
}

TEST(Gathering, OnTheHostNetworkAPortThatIsNotFreeIsNamed) {
  World world(2, [](api::RollCall& r) { r.spec.host_network = true; });
  for (int rank = 0; rank < 2; ++rank) {
    PodView view;
    view.uid = "uid-" + std::to_string(rank);
    if (rank == 0)
      view.waiting = "0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports.";
    world.hear(PodSeen{view});
  }
  EXPECT_THAT(world.status().message, HasSubstr("The port is MASTER_PORT 29500, which another pod"));
}

TEST(Gathering, PodsThatDoNotStartGiveTheOthersPlacesBack) {
  World world(3, [](api::RollCall& r) { r.spec.gpus_per_pod = 8; });
  world.probes[2].running = false;
  PodView pending = world.view(2);
  pending.node = pending.address = "";
  pending.scheduled_at.reset();
  pending.waiting = "0/12 nodes have 8 free GPUs";
  world.see_all();
  world.hear(PodSeen{pending});
  world.pass(1796s);
  ASSERT_TRUE(world.asked);
  EXPECT_EQ(world.asked->reason, api::EndReason::PodsNotStarted);
  EXPECT_THAT(
      world.asked->message,
      HasSubstr("2 of 3 nodes were ready 1800 s after the first pod was scheduled (waitForPodsSeconds); node rank 2 "
                "(pod llama-ft-2-2) is not scheduled: 0/12 nodes have 8 free GPUs. Nothing was started; the GPUs are "
                "given back"));
  world.store();
  EXPECT_EQ(world.desk->instruction_for("uid-0", world.now)->step, Step::End);
}

TEST(Gathering, TimeoutRunsFromTheLastProbesStart) {
  World world(2, [](api::RollCall& r) { r.spec.settings.timeout_seconds = 100; });
  world.probes[1].running = false;
  world.see_all();
  world.pass(300s);
  world.probes[1].running = true;
  world.probes[1].asleep = true;
  world.hear(PodSeen{world.view(1)});
  world.pass(99s);
  EXPECT_EQ(world.status().stage, "Gathering");
  world.pass(2s);
  EXPECT_EQ(world.status().stage, "Held");
  EXPECT_THAT(world.status().message, HasSubstr("gpu-2 (node rank 1)"));
}

TEST(Gathering, AMuteProbeIsToldFromOneThatHasNotStarted) {
  World world(2);
  world.probes[1].asleep = true;
  world.see_all();
  world.pass(59s);
  EXPECT_FALSE(world.has_finding("probe/mute"));
  world.pass(1s);
  EXPECT_THAT(world.finding("probe/mute"), HasSubstr("probe running on gpu-2 (node rank 1) but mute for 60 s: egress "
                                                     "policy in namespace team-a? Allow TCP from the job's "
                                                     "pods to the desk's Service rollcall-desk"));
  EXPECT_EQ(world.status().nodes.at(1).state, "Mute");
  EXPECT_EQ(world.status().stage, "Gathering");
  world.probes[1].asleep = false;
  world.round();
  EXPECT_EQ(world.asked->kind, api::VerdictKind::Released);
}

TEST(Gathering, WhenTheMissingAnswerTheNextRoundNeedNotWait) {
  World world(2, [](api::RollCall& r) { r.spec.settings.timeout_seconds = 100; });
  world.probes[1].asleep = true;
  world.see_all();
  world.pass(102s);
  ASSERT_EQ(world.status().stage, "Held");
  world.probes[1].asleep = false;
  world.round();
  ASSERT_TRUE(world.asked);
  EXPECT_EQ(world.asked->kind, api::VerdictKind::Released);
}

// Failing stages.

TEST(Held, SaysWhatSinceWhenAtWhatCostWhoseItIsAndTheNextCommand) {
  World world(4, [](api::RollCall& r) {
    r.spec.gpus_per_pod = 8;
    r.spec.gpu_resource = "nvidia.com/gpu";
  });
  world.facts = [facts = world.facts](int node) {
    auto f = facts(node);
    f.gpus_visible = 8;
    return f;
  };
  world.edge = [](int from, int to) { return from == 1 && to == 2 ? EdgeOutcome::Dropped : EdgeOutcome::Ok; };
  world.see_all();
  world.round();
  ASSERT_EQ(world.status().stage, "Held");
  world.pass(4s);
  world.hear(Tick{});
  EXPECT_EQ(world.status().held_since, "2026-11-30T12:00:05Z");
  world.pass(5s);
  EXPECT_EQ(world.finding("mesh/dropped"),
            "gpu-3 (node rank 2, ranks 16-23) drops new connections from gpu-2 (node rank 1) to the 4 ephemeral ports "
            "we tried, 2 of 4 nodes are fine. "
            "The rendezvous port 29500 works, so training would start and then hang in NCCL. Open 32768-60999 between "
            "the job's nodes (NetworkPolicy, security group).");
  const auto message = world.status().message;
  EXPECT_THAT(message, HasSubstr("GPU-hours so far. Owner: network. Next round at 12:00:20Z, in place."));
  EXPECT_THAT(message, HasSubstr("kubectl annotate tj llama-ft rollcall.dev/release='why' -n team-a"));
  EXPECT_EQ(world.writes, 0);
  for (const auto& probe : world.probes) EXPECT_EQ(probe.last, Step::Wait);
}

TEST(Held, WhenTheCauseIsGoneTheSamePodsAreReleased) {
  World world(3);
  bool dropped = true;
  world.edge = [&](int from, int to) {
    return dropped && from == 1 && to == 2 ? EdgeOutcome::Dropped : EdgeOutcome::Ok;
  };
  world.see_all();
  world.round();
  ASSERT_EQ(world.status().stage, "Held");
  const auto first_round = world.status().round;
  dropped = false;
  world.pass(14s);
  EXPECT_EQ(world.status().stage, "Held");
  world.pass(2s);
  world.round();
  ASSERT_TRUE(world.asked);
  EXPECT_EQ(world.asked->kind, api::VerdictKind::Released);
  EXPECT_NE(world.status().round, first_round);
  EXPECT_TRUE(world.status().findings.empty());
  EXPECT_GE(world.status().held_seconds, 15);
}

TEST(Held, RoundsComeAgainAfter15And30And60And120Seconds) {
  World world(2, [](api::RollCall& r) { r.spec.settings.hold_seconds = 100000; });
  world.edge = [](int, int) { return EdgeOutcome::Dropped; };
  world.see_all();
  world.round();
  std::vector<long> pauses;
  for (int i = 0; i < 6; ++i) {
    const auto next = rfc3339_from(world.status().next_round_at);
    const auto since = rfc3339_from(world.status().held_since);
    ASSERT_TRUE(next && since);
    pauses.push_back(std::chrono::duration_cast<std::chrono::seconds>(*next - *since).count());
    world.now = *next;
    world.hear(Tick{});
    EXPECT_EQ(world.status().stage, "LocalFacts");
    EXPECT_TRUE(world.has_finding("mesh/dropped")) << "why it was held stays in sight while the next round runs";
    world.round();
    ASSERT_EQ(world.status().stage, "Held");
  }
  EXPECT_THAT(pauses, ::testing::ElementsAre(15, 30, 60, 120, 120, 120));
}

TEST(Held, HoldSecondsOverEndsTheAttemptWithTheCause) {
  World world(2, [](api::RollCall& r) { r.spec.settings.hold_seconds = 90; });
  world.edge = [](int, int) { return EdgeOutcome::Dropped; };
  world.see_all();
  world.round();
  world.pass(110s);
  ASSERT_TRUE(world.asked);
  EXPECT_EQ(world.asked->reason, api::EndReason::HoldExpired);
  EXPECT_THAT(world.asked->message,
              HasSubstr("held for 90 s in all (holdSeconds), 3.0 pod-minutes: new connections between gpu-1"));
}

TEST(Held, ANewDeskKeepsTheCostClock) {
  World world(2, [](api::RollCall& r) { r.spec.settings.hold_seconds = 100; });
  world.edge = [](int, int) { return EdgeOutcome::Dropped; };
  world.see_all();
  world.round();
  world.pass(10s, false);
  world.roll_call.status = world.status();
  world.now += 40s;
  world.new_desk(2);
  EXPECT_GE(world.status().held_seconds, 50);
  EXPECT_EQ(world.status().round, "2.1");
  world.see_all();
  world.round();
  world.pass(80s);
  ASSERT_TRUE(world.asked);
  EXPECT_EQ(world.asked->reason, api::EndReason::HoldExpired);
}

TEST(MasterPort, InUseNamesPortNodeAndHolder) {
  World world(3, [](api::RollCall& r) { r.spec.host_network = true; });
  world.master = [](int) { return MasterPortState{29500, false, "EADDRINUSE", "pid 4711 (python)"}; };
  world.see_all();
  world.round();
  ASSERT_EQ(world.status().stage, "Held");
  EXPECT_EQ(world.finding("master-port/in-use"),
            "port 29500 on gpu-1 (node rank 0, ranks 0-7) is in use by pid 4711 (python): node rank 0 could not listen "
            "there, and every rank would wait for it. "
            "End that process, or choose another spec.rendezvous.port: on the host network the port is the node's");
}

TEST(MasterPort, NotPermittedIsTheJobsOwnCause) {
  World world(3);
  world.master = [](int) { return MasterPortState{29500, false, "EACCES", ""}; };
  world.see_all();
  world.round();
  ASSERT_TRUE(world.asked);
  EXPECT_EQ(world.asked->reason, api::EndReason::JobsOwnCause);
  EXPECT_THAT(world.asked->message,
              HasSubstr("port 29500 on gpu-1 (node rank 0, ranks 0-7) may not be bound (EACCES)"));
}

TEST(MasterPort, UnreachableNamesWhoCannotReachIt) {
  World world(3);
  world.reach = [](int node) { return node == 2 ? EdgeOutcome::Dropped : EdgeOutcome::Ok; };
  world.see_all();
  world.round();
  EXPECT_THAT(world.finding("master-port/unreachable"),
              HasSubstr("1 of 2 nodes cannot reach the rendezvous port 29500 of gpu-1 (node rank 0, ranks 0-7): gpu-3 "
                        "(node rank 2): no answer. Open TCP 29500 to 10.0.0.1"));
}

TEST(MasterPort, OneNodeOnlyListens) {
  World world(1);
  world.see_all();
  world.round();
  ASSERT_TRUE(world.asked);
  EXPECT_EQ(world.asked->kind, api::VerdictKind::Released);
  EXPECT_EQ(world.stage_state("Mesh"), "Skipped: the job has one node");
  EXPECT_EQ(world.stage_state("MasterPort"), "Passed");
}

TEST(Comparison, ANcclVersionThatDiffersHoldsAndNamesTheMinority) {
  World world(3);
  world.facts = [facts = world.facts](int node) {
    auto f = facts(node);
    if (node == 1) f.libraries[0].version = "2.21.5";
    return f;
  };
  world.see_all();
  world.round();
  ASSERT_EQ(world.status().stage, "Held");
  EXPECT_THAT(world.finding("nccl/version"),
              HasSubstr("1 of 3 nodes has NCCL 2.21.5: gpu-2; the other 2 have NCCL 2.27.5"));
}

TEST(Silence, AProbeThatAnswersNoMoreIsNamedAtTheStagesDeadline) {
  World world(3);
  world.see_all();
  world.exchange();
  world.probes[2].asleep = true;
  world.pass(62s);
  ASSERT_EQ(world.status().stage, "Held");
  EXPECT_THAT(world.finding("probe/silent"),
              HasSubstr("gpu-3 (node rank 2, ranks 16-23) has not answered, and not read its local facts within 60 s"));
  EXPECT_EQ(world.stage_state("Mesh"), "Skipped: not run: a probe did not finish a stage before");
}

TEST(Silence, AProbeThatAnswersWithoutResultsIsStuck) {
  World world(2);
  world.see_all();
  world.exchange();
  world.probes[1].results.facts.reset();
  for (int i = 0; i < 70; ++i) {
    world.pass(1s, false);
    world.exchange();
    world.probes[1].results.facts.reset();
  }
  EXPECT_THAT(world.finding("probe/stuck"),
              HasSubstr("gpu-2 (node rank 1, ranks 8-15) has answered, but not read its local facts within 60 s"));
}

TEST(AddressSeen, AKubeletThatDoesNotShowItIsNamedAfter60Seconds) {
  World world(2);
  world.sees = [](int node) { return node == 0; };
  world.see_all();
  world.round();
  EXPECT_EQ(world.status().stage, "AddressSeen");
  world.pass(61s);
  EXPECT_EQ(world.status().stage, "Held");
  EXPECT_THAT(world.finding("address/not-seen"), HasSubstr("gpu-2's kubelet does not see the pod's annotations"));
  EXPECT_EQ(world.writes, 0);
}

TEST(AddressSeen, AnotherAttemptsAddressDoesNotCount) {
  World world(2);
  world.see_all();
  world.round();
  world.new_desk();
  world.see_all();
  for (auto& probe : world.probes) probe.results.seen = SeenState{1, "10.0.0.1"};
  world.sees = [](int) { return false; };
  world.round();
  EXPECT_EQ(world.status().stage, "AddressSeen");
  EXPECT_FALSE(world.asked);
}

// Restarts.

TEST(Restart, ANewNonceVoidsThePodsResultsAndRestartsTheRound) {
  World world(3);
  world.sees = [](int) { return false; };
  world.see_all();
  world.round();
  ASSERT_EQ(world.status().stage, "AddressSeen");
  const auto before = world.status().round;
  world.probes[1].nonce = "another";
  world.probes[1].results = {};
  world.post(1);
  EXPECT_EQ(world.status().stage, "LocalFacts");
  EXPECT_NE(world.status().round, before);
  world.sees = [](int) { return true; };
  world.round();
  EXPECT_EQ(world.asked->kind, api::VerdictKind::Released);
}

TEST(Restart, ALateAnswerOfTheFormerProbeIsVoid) {
  World world(2);
  world.see_all();
  world.exchange();
  Answer late = world.answer_of(1);
  world.probes[1].nonce = "another";
  world.post(1);
  const auto round = world.status().round;
  world.hear(AnswerHeard{late});
  EXPECT_EQ(world.status().round, round);
}

TEST(Restart, AfterTheReleaseItIsLostAndNotReleasedAgain) {
  World world(2);
  world.see_all();
  world.round();
  world.store();
  world.probes[1].nonce = "another";
  world.post(1);
  EXPECT_EQ(world.desk->instruction_for("uid-1", world.now)->step, Step::Wait);
  EXPECT_EQ(world.desk->instruction_for("uid-0", world.now)->step, Step::Release);
  EXPECT_EQ(world.status().nodes.at(1).state, "Lost");
  EXPECT_THAT(world.status().message, HasSubstr("started anew after the release"));
}

TEST(Restart, WhileTheReleaseIsBeingWrittenItIsLostOnceTheReleaseIsStored) {
  World world(2);
  world.see_all();
  world.round();
  world.probes[1].nonce = "another";
  world.post(1);
  world.store();
  EXPECT_EQ(world.desk->instruction_for("uid-1", world.now)->step, Step::Wait);
  EXPECT_EQ(world.desk->instruction_for("uid-0", world.now)->step, Step::Release);
  EXPECT_EQ(world.status().nodes.at(1).state, "Lost");
}

TEST(Restart, WhileTheVerdictIsWrittenItStopsTheNextAsking) {
  World world(2);
  world.see_all();
  world.round();
  world.probes[1].nonce = "another";
  world.probes[1].results = {};
  world.post(1);
  world.hear(VerdictWriteFailed{"timeout"});
  world.sees = [](int) { return false; };
  world.pass(5s, false);
  EXPECT_EQ(world.writes, 1) << "a pod that has not passed anew must not be released";
  EXPECT_EQ(world.status().stage, "LocalFacts");
}

TEST(Restart, AChangedAddressOfNodeRank0EndsTheAttempt) {
  World world(2);
  world.see_all();
  world.exchange();
  PodView moved = world.view(0);
  moved.address = "10.0.9.9";
  world.hear(PodSeen{moved});
  ASSERT_TRUE(world.asked);
  EXPECT_EQ(world.asked->reason, api::EndReason::AddressChanged);
  EXPECT_THAT(world.asked->message, HasSubstr("changed from 10.0.0.1 to 10.0.9.9"));
}

TEST(Restart, ALostPodIsNeverReleased) {
  World world(2);
  world.sees = [](int) { return false; };
  world.see_all();
  world.round();
  PodView gone = world.view(1);
  gone.gone = true;
  world.hear(PodSeen{gone});
  world.sees = [](int) { return true; };
  world.round();
  EXPECT_FALSE(world.asked);
  EXPECT_EQ(world.status().nodes.at(1).state, "Lost");
  EXPECT_THAT(world.finding("pod/lost"), HasSubstr("gpu-2 (node rank 1, ranks 8-15) is gone"));
}

// A person and the mode.

TEST(Override, ReleasesAHeldJobAtOnceAndKeepsWhatWasFound) {
  World world(2);
  world.edge = [](int, int) { return EdgeOutcome::Dropped; };
  world.see_all();
  world.round();
  ASSERT_EQ(world.status().stage, "Held");
  world.hear(Overridden{kUser});
  world.exchange(2);
  ASSERT_TRUE(world.asked);
  EXPECT_EQ(world.asked->kind, api::VerdictKind::Released);
  EXPECT_TRUE(world.asked->overridden);
  EXPECT_THAT(world.asked->message, HasSubstr(kUser));
  EXPECT_TRUE(world.has_finding("mesh/dropped"));
  EXPECT_EQ(world.stage_state("Mesh"), std::string("Skipped: overridden: ") + kUser);
}

TEST(Override, EndsTheRunningStage) {
  World world(2);
  world.see_all();
  world.exchange();
  ASSERT_EQ(world.status().stage, "LocalFacts");
  world.hear(Overridden{kUser});
  EXPECT_EQ(world.status().stage, "AddressSeen");
  EXPECT_EQ(world.stage_state("LocalFacts"), std::string("Skipped: overridden: ") + kUser);
  EXPECT_FALSE(world.asked) << "the address is still to be seen";
  world.exchange(2);
  EXPECT_TRUE(world.asked && world.asked->overridden);
}

TEST(Override, WaitsForTheAddressEverywhere) {
  World world(2);
  bool blind = true;
  world.sees = [&](int node) { return node == 0 || !blind; };
  world.see_all();
  world.hear(Overridden{kUser});
  world.round();
  world.pass(70s);
  EXPECT_FALSE(world.asked);
  EXPECT_EQ(world.status().stage, "Held");
  blind = false;
  world.exchange(3);
  EXPECT_TRUE(world.asked && world.asked->overridden);
}

TEST(Observe, RunsEveryStageAndReleasesWhateverWasFound) {
  World world(2, [](api::RollCall& r) { r.spec.settings.mode = api::RollCallMode::Observe; });
  world.edge = [](int, int) { return EdgeOutcome::Dropped; };
  world.master = [](int) { return MasterPortState{29500, false, "EACCES", ""}; };
  world.see_all();
  world.round();
  ASSERT_TRUE(world.asked);
  EXPECT_EQ(world.asked->kind, api::VerdictKind::Released);
  EXPECT_FALSE(world.asked->overridden);
  EXPECT_THAT(world.asked->message, HasSubstr("mode is Observe: released in spite of 2 findings"));
  EXPECT_EQ(world.stage_state("Mesh"), "Failed: mesh/dropped");
  EXPECT_TRUE(world.has_finding("mesh/dropped"));
}

TEST(Observe, APodThatNeverComesStillEndsTheAttempt) {
  World world(2, [](api::RollCall& r) { r.spec.settings.mode = api::RollCallMode::Observe; });
  world.probes[1].running = false;
  world.see_all();
  world.pass(1800s);
  ASSERT_TRUE(world.asked);
  EXPECT_EQ(world.asked->reason, api::EndReason::PodsNotStarted);
}

TEST(Off, OnlyHandsOverTheAddress) {
  World world(2, [](api::RollCall& r) { r.spec.settings.mode = api::RollCallMode::Off; });
  world.see_all();
  world.round();
  ASSERT_TRUE(world.asked);
  EXPECT_EQ(world.asked->kind, api::VerdictKind::Released);
  for (const char* stage : {"LocalFacts", "Comparison", "Gpu", "MasterPort", "Mesh"})
    EXPECT_EQ(world.stage_state(stage), "Skipped: mode is Off");
}

TEST(ModeChange, IsObeyedWhileWaiting) {
  World world(2);
  world.edge = [](int, int) { return EdgeOutcome::Dropped; };
  world.see_all();
  world.round();
  ASSERT_EQ(world.status().stage, "Held");
  world.hear(ModeChanged{api::RollCallMode::Observe});
  world.round();
  ASSERT_TRUE(world.asked);
  EXPECT_EQ(world.asked->kind, api::VerdictKind::Released);
}

TEST(ModeChange, ToObserveReleasesAHeldJobWithWhatWasFoundAndRunsNothingAgain) {
  World world(2);
  world.edge = [](int, int) { return EdgeOutcome::Dropped; };
  world.see_all();
  world.round();
  ASSERT_EQ(world.status().stage, "Held");
  world.edge = [](int, int) -> EdgeOutcome { throw std::logic_error("the mesh was run again"); };
  world.hear(ModeChanged{api::RollCallMode::Observe});
  world.round();
  ASSERT_TRUE(world.asked);
  EXPECT_EQ(world.asked->kind, api::VerdictKind::Released);
  EXPECT_TRUE(world.has_finding("mesh/dropped"));
}

TEST(ModeChange, BackToEnforceRunsTheStagesThatObserveLeftOut) {
  World world(2);
  world.edge = [](int, int) { return EdgeOutcome::Dropped; };
  world.sees = [](int) { return false; };
  world.see_all();
  world.round();
  ASSERT_EQ(world.status().stage, "Held");
  world.hear(ModeChanged{api::RollCallMode::Observe});
  world.round();
  ASSERT_EQ(world.status().stage, "AddressSeen");
  world.edge = [](int, int) { return EdgeOutcome::Ok; };
  world.sees = [](int) { return true; };
  world.hear(ModeChanged{api::RollCallMode::Enforce});
  world.round();
  ASSERT_TRUE(world.asked);
  EXPECT_EQ(world.asked->kind, api::VerdictKind::Released);
  EXPECT_FALSE(world.has_finding("mesh/dropped"));
}

TEST(ModeChange, FromOffToEnforceRunsTheStages) {
  World world(2, [](api::RollCall& r) { r.spec.settings.mode = api::RollCallMode::Off; });
  world.sees = [](int) { return false; };
  world.edge = [](int, int) { return EdgeOutcome::Dropped; };
  world.see_all();
  world.round();
  ASSERT_EQ(world.status().stage, "AddressSeen");
  world.hear(ModeChanged{api::RollCallMode::Enforce});
  world.round();
  EXPECT_EQ(world.status().stage, "Held");
  EXPECT_TRUE(world.has_finding("mesh/dropped"));
}

TEST(Instructions, OnlyAChangeOfOrdersAsksForAllHeldReplies) {
  World world(4);
  world.see_all();
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(world.hear(AnswerHeard{world.answer_of(i)}).orders_changed && i > 0);
  EXPECT_TRUE(world.hear(AnswerHeard{world.answer_of(3)}).orders_changed);  // the last one begins LocalFacts
}

TEST(Instructions, ATickOrAPodEventThatShowsNothingNewIsNotWorthAWrite) {
  World world(2);
  world.probes[1].running = false;
  world.see_all();
  const PodView pulling = world.view(1);
  world.hear(PodSeen{pulling});
  for (int i = 0; i < 25; ++i) {
    world.now += 1s;
    EXPECT_FALSE(world.hear(Tick{}).status_changed);
    EXPECT_FALSE(world.hear(PodSeen{pulling}).status_changed);
  }
  PodView other = pulling;
  other.waiting = "ImagePullBackOff";
  EXPECT_TRUE(world.hear(PodSeen{other}).status_changed);
}

TEST(Status, StaysSmallAt1000NodesWhateverIsWrong) {
  World world(1000);
  world.edge = [](int from, int to) { return (from * 7 + to) % 5 == 0 ? EdgeOutcome::Dropped : EdgeOutcome::Ok; };
  world.facts = [facts = world.facts](int node) {
    auto f = facts(node);
    f.kernel = "6.1." + std::to_string(node);
    f.libraries[0].version = "2." + std::to_string(node);
    f.env["NCCL_PROTO"] = std::string(300, 'x') + std::to_string(node);
    return f;
  };
  world.see_all();
  for (int i = 0; i < 12 && world.status().stage != "Held"; ++i) world.exchange();
  const auto status = world.status();
  ASSERT_EQ(status.stage, "Held");
  EXPECT_LE(status.nodes.size(), 50u);
  EXPECT_LE(status.findings.size(), 50u);
  EXPECT_LE(status.message.size(), 4100u);
  EXPECT_LT(api::to_json(status).dump().size(), std::size_t{512} * 1024);
  EXPECT_THAT(world.stage_state("Mesh"), HasSubstr("Failed"));
}

TEST(Instructions, ProbesAreToldWhomTheyWaitFor) {
  World world(2);
  world.probes[1].running = false;
  world.see_all();
  world.exchange();
  EXPECT_THAT(world.probes[0].last_message, HasSubstr("1 of 2 nodes have answered; node rank 1 (pod llama-ft-1-2 on "
                                                      "gpu-2) has not started the probe: pulling image"));
  EXPECT_EQ(world.probes[0].last_stage, "Gathering");
}

}  // namespace
}  // namespace rollcall::roll_call::testing
