// Histories of one job, from its apply to its end; the sentences of the design are the names.
#include "operator/reconcile.h"

#include <gmock/gmock.h>

#include "operator/conditions.h"
#include "operator/world.h"

namespace rollcall::operator_ {
namespace {

using namespace testing_world;
using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// ---------------------------------------------------------------------------------------------- the sound path
TEST(Reconcile, FirstPodIsAskedForBeforeAnyIsCreated) {
  World world(3);
  world.look();
  EXPECT_THAT(world.client.writes,
              ElementsAre("dry-run pods/ml/llama-0-1", testing::StartsWith("create pods/ml/llama-"),
                          testing::StartsWith("create pods/ml/llama-"), testing::StartsWith("create pods/ml/llama-"),
                          "put-status trainingjobs/ml/llama"));
  EXPECT_EQ(world.status().phase, "Pending");
  EXPECT_EQ(world.status().attempt, 1);
}

TEST(Reconcile, RosterIsWrittenWhenEveryPodHasAUid) {
  World world(3);
  world.settle();
  const auto roll_call = *api::roll_call_from(world.roll_call());
  ASSERT_EQ(roll_call.spec.roster.size(), 3U);
  for (int rank = 0; rank < 3; ++rank) {
    const auto& entry = roll_call.spec.roster[static_cast<std::size_t>(rank)];
    EXPECT_EQ(entry.node_rank, rank);
    EXPECT_EQ(entry.uid, world.pod(rank)["metadata"]["uid"]);
  }
  EXPECT_EQ(roll_call.meta.owners.front().uid, "job-1");
  EXPECT_THAT(world.event_reasons(), ElementsAre("Called"));
}

TEST(Reconcile, EveryPodOfTheRosterIsToldTheAddressAndNoOther) {
  World world;
  world.until_called();
  auto forged = world.pod(1);
  forged["metadata"]["uid"] = "forged";
  forged["metadata"]["name"] = "llama-1-1-evil";
  forged["metadata"]["ownerReferences"] = Json::array();
  world.client.store("pods/ml/llama-1-1-evil", forged);
  world.desk_names_address();
  world.settle();
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(annotations_of(world.pod(rank)), (Json{{"rollcall.dev/master-addr", "10.1.0.1"},
                                                     {"rollcall.dev/master-endpoint", "10.1.0.1:29500"},
                                                     {"rollcall.dev/attempt", "1"}}));
  }
  EXPECT_EQ(annotations_of(world.object("pods/ml/llama-1-1-evil")), Json::object());
}

TEST(Reconcile, AKubeletWhoseFileLacksTheAddressIsMadeToLookAgain) {
  World world;
  world.until_called();
  world.desk_names_address();
  world.settle();
  auto call = world.roll_call();
  call["status"]["stages"] = Json::array(
      {{{"name", "AddressSeen"}, {"state", "Running"}, {"startedAt", "2026-11-30T12:00:00Z"}, {"seconds", 0}}});
  call["status"]["report"] = {{"stages", {"Mesh", "AddressSeen"}}, {"states", {"PP", "PR"}}};
  world.client.store("rollcalls/ml/tj-llama-1", call);
  const auto looks = [&world](int rank) {
    return annotations_of(world.pod(rank)).value("rollcall.dev/show-again", "none");
  };
  const std::vector<std::pair<int, std::string>> expected = {{1, "none"}, {2, "1"},  {3, "1"},  {4, "2"},
                                                             {8, "3"},    {16, "4"}, {32, "5"}, {600, "5"}};
  for (const auto& [seconds, wanted] : expected) {
    world.now = at("2026-11-30T12:00:00Z") + std::chrono::seconds(seconds);
    world.settle();
    EXPECT_EQ(looks(1), wanted) << seconds;
    EXPECT_EQ(looks(0), "none") << "its file shows the address";
  }
  EXPECT_EQ(annotations_of(world.pod(1))["rollcall.dev/master-addr"], "10.1.0.1");
}

TEST(Reconcile, AnIpv6AddressHasBracketsWhereAPortFollows) {
  World world(2, {{"rendezvous", {{"port", 1234}}}});
  world.until_called();
  world.desk_names_address("fd00::7");
  world.settle();
  EXPECT_EQ(annotations_of(world.pod(1))["rollcall.dev/master-addr"], "fd00::7");
  EXPECT_EQ(annotations_of(world.pod(1))["rollcall.dev/master-endpoint"], "[fd00::7]:1234");
}

TEST(Reconcile, PhasesOfASoundJob) {
  World world;
  world.settle();
  EXPECT_EQ(world.status().phase, "Pending");
  world.start_probe(0);
  world.start_probe(1);
  world.settle();
  EXPECT_EQ(world.status().phase, "RollCall");
  world.desk_names_address();
  world.settle();
  world.desk_releases();
  world.settle();
  EXPECT_EQ(world.status().phase, "Released");
  EXPECT_EQ(annotations_of(world.pod(1))["rollcall.dev/released"], "1");
  EXPECT_EQ(reason_of(world, "RollCallPassed"), "True/Passed");
  world.trainer_runs(0);
  world.trainer_runs(1);
  world.settle();
  EXPECT_EQ(world.status().phase, "Running");
  world.trainer_ends(0, 0, "Completed");
  world.settle();
  EXPECT_EQ(world.status().phase, "Running");
  world.trainer_ends(1, 0, "Completed");
  world.settle();
  EXPECT_EQ(world.status().phase, "Succeeded");
  EXPECT_EQ(reason_of(world, "Complete"), "True/TrainersSucceeded");
  EXPECT_EQ(world.roll_call()["status"]["end"]["reason"], "JobFinished");
  EXPECT_THAT(world.event_reasons(), ElementsAre("Called", "Released", "Complete"));
}

TEST(Reconcile, HeldIsShownInTheDesksWords) {
  World world;
  world.until_called();
  world.desk_writes({{"stage", "Held"},
                     {"heldSince", "2026-11-30T12:00:00Z"},
                     {"message", "gpu-1 drops"},
                     {"answered", "2/2"},
                     {"round", "1.2"}});
  world.settle();
  const auto status = world.status();
  EXPECT_EQ(status.phase, "Held");
  EXPECT_EQ(status.message, "gpu-1 drops");
  EXPECT_EQ(status.held_since, "2026-11-30T12:00:00Z");
  EXPECT_EQ(status.answered, "2/2");
  EXPECT_EQ(reason_of(world, "RollCallPassed"), "False/Held");
  EXPECT_THAT(world.event_reasons(), ElementsAre("Called", "Held"));
}

TEST(Reconcile, TheHeldEventOfEachRoundHasTheSameWordsWhileTheCauseIsTheSame) {
  World world;
  world.until_called();
  world.desk_writes(
      {{"stage", "Held"}, {"message", "gpu-1 drops. Held 2 s, 0.1 pod-minutes so far."}, {"round", "1.1"}});
  world.settle();
  world.desk_writes({{"stage", "Mesh"}, {"message", "round 1.2"}, {"round", "1.2"}});
  world.settle();
  world.desk_writes(
      {{"stage", "Held"}, {"message", "gpu-1 drops. Held 40 s, 2.0 pod-minutes so far."}, {"round", "1.2"}});
  world.settle();
  ASSERT_THAT(world.event_reasons(), ElementsAre("Called", "Held", "Held"));
  EXPECT_EQ(world.events[1].message, "gpu-1 drops.");
  EXPECT_EQ(world.events[2].message, world.events[1].message);
}

TEST(Reconcile, SchedulersWordsAreShownWhileAPodFitsNowhere) {
  World world;
  world.settle();
  world.start_probe(0);
  world.pod(1)["status"]["conditions"] =
      Json::parse(R"([{"type": "PodScheduled", "status": "False", "message": "0/3 nodes have 8 free GPUs."}])");
  world.settle();
  EXPECT_EQ(
      world.status().message,
      "1 of 2 nodes are ready; node rank 1 (rank 1) (pod llama-1-1) is not scheduled: 0/3 nodes have 8 free GPUs.");
}

TEST(Reconcile, NothingIsWrittenTwiceWhenNothingChanges) {
  World world;
  world.until_running();
  const auto writes = world.client.writes.size();
  world.pass(1h);
  EXPECT_FALSE(world.look());
  EXPECT_EQ(world.client.writes.size(), writes);
}

// ---------------------------------------------------------------------------------------------- refusals
TEST(Reconcile, JobRefusedByRulesFailsWithoutAPod) {
  World world(2, {{"worldSize", 7}});
  world.settle();
  EXPECT_EQ(reason_of(world, "Failed"), "True/RefusedByRules");
  EXPECT_THAT(world.status().message, HasSubstr("spec.worldSize"));
  EXPECT_FALSE(world.has_pod(0));
  EXPECT_THAT(world.event_reasons(), ElementsAre("RefusedByRules"));
}

TEST(Reconcile, WhereRulesRefuseNothingAFaultyJobIsCalledLikeAnyOther) {
  World world(2, {{"worldSize", 7}});
  world.rules_refuse = false;
  world.settle();
  EXPECT_EQ(reason_of(world, "Failed"), "(none)");
  EXPECT_TRUE(world.has_pod(0));
  EXPECT_TRUE(world.has_pod(1));
}

struct RefusalCase {
  const char* name;
  int http;
  const char* status_reason;
  const char* message;
  const char* condition;
};
class Refusals : public testing::TestWithParam<RefusalCase> {};

TEST_P(Refusals, OfTheFirstPodBecomeOneCondition) {
  const auto& c = GetParam();
  World world;
  world.client.refusals["dry-run pods/ml/llama-0-1"] = {c.http, c.status_reason, c.message, 0};
  world.look();
  EXPECT_FALSE(world.has_pod(0));
  const bool failed = std::string(c.condition).starts_with("True");
  EXPECT_EQ(reason_of(world, failed ? "Failed" : "RollCallPassed"), c.condition);
  EXPECT_EQ(world.status().phase, failed ? "Failed" : "Pending");
  EXPECT_THAT(world.status().message, HasSubstr(c.message)) << "the API server's own words";
  EXPECT_EQ(world.events.size(), 1U);
  const auto told = world.events.size();
  world.look();
  EXPECT_EQ(world.events.size(), told) << "the same refusal is told once";
  if (!failed) {
    EXPECT_EQ(world.applied, Applied::Refused) << "asked again later";
    world.client.refusals.clear();
    world.settle();
    EXPECT_TRUE(world.has_roll_call());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Words, Refusals,
    testing::Values(
        RefusalCase{"Quota", 403, "Forbidden",
                    "pods \"llama-0-1\" is forbidden: exceeded quota: gpus, requested: 8, used: 0, limited: 4",
                    "False/PodsRefused"},
        RefusalCase{"LimitRange", 403, "Forbidden", "maximum cpu usage per Container is 1", "False/PodsRefused"},
        RefusalCase{"Webhook", 400, "BadRequest", "admission webhook \"x\" denied the request: no",
                    "False/PodsRefused"},
        RefusalCase{"Typo", 400, "BadRequest", "strict decoding error: unknown field \"spec.resorces\"",
                    "True/InvalidPod"},
        RefusalCase{"InvalidField", 422, "Invalid", "spec.containers[0].image: Required value", "True/InvalidPod"},
        RefusalCase{"PodSecurity", 403, "Forbidden", "violates PodSecurity \"restricted:latest\": runAsNonRoot != true",
                    "True/InvalidPod"}),
    [](const auto& refusal) { return std::string(refusal.param.name); });

TEST(Reconcile, TemplateThatTakesOurNameIsRefusedByTheRules) {
  World world(
      1,
      {{"template",
        Json::parse(
            R"({"spec": {"initContainers": [{"name": "rollcall", "image": "x"}], "containers": [{"name": "trainer", "image": "t", "command": ["python", "x.py"]}]}})")}});
  world.settle();
  EXPECT_EQ(reason_of(world, "Failed"), "True/RefusedByRules");
  EXPECT_THAT(world.status().message, HasSubstr("initContainers[0].name"));
}

TEST(Reconcile, WithoutADeskNoPodIsCreated) {
  World world;
  world.probe.reset();
  world.settle();
  EXPECT_FALSE(world.has_pod(0));
  EXPECT_EQ(reason_of(world, "RollCallPassed"), "False/DeskMissing");
  EXPECT_EQ(world.look_again, 5000ms);
}

TEST(Reconcile, PodsOfAPartlyRefusedJobGiveTheirPlacesBack) {
  World world;
  world.client.refusals["create pods/ml/llama-1-1"] = {403, "Forbidden", "exceeded quota", 0};
  world.look();
  world.schedule(0);
  world.look();
  EXPECT_TRUE(world.has_pod(0));
  world.pass(1801s);
  world.look();
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.status().retries_used, 0);
  EXPECT_EQ(world.status().start_failures, 1);
  EXPECT_THAT(world.status().message, HasSubstr("exceeded quota"));
  world.look();
  world.kubelets_let_go();
  EXPECT_FALSE(world.has_pod(0));
}

// ---------------------------------------------------------------------------------------------- whose pods
TEST(Reconcile, PodOfAnotherUnderOurNameIsNotAdopted) {
  World world;
  world.client.store(
      "pods/ml/llama-1-1",
      {{"metadata",
        {{"name", "llama-1-1"},
         {"uid", "theirs"},
         {"labels",
          {{"rollcall.dev/job-name", "llama"}, {"rollcall.dev/attempt", "1"}, {"rollcall.dev/node-rank", "1"}}}}}});
  world.settle();
  EXPECT_EQ(reason_of(world, "RollCallPassed"), "False/PodNameTaken");
  EXPECT_FALSE(world.has_roll_call());
  EXPECT_EQ(world.pod(1)["metadata"]["uid"], "theirs") << "not deleted either";
  EXPECT_THAT(world.status().message, HasSubstr("kubectl delete pod -n ml llama-1-1"));
}

TEST(Reconcile, PodWithoutOurLabelsUnderOurNameIsFoundWhenItIsCreated) {
  World world;
  world.client.refusals["create pods/ml/llama-1-1"] = {409, "AlreadyExists", "pods \"llama-1-1\" already exists", 0};
  world.client.store("pods/ml/llama-1-1", {{"metadata", {{"name", "llama-1-1"}, {"uid", "theirs"}}}});
  world.look();
  EXPECT_EQ(reason_of(world, "RollCallPassed"), "False/PodNameTaken");
}

TEST(Reconcile, JobRecreatedUnderTheSameNameWaitsForTheFormerPods) {
  World world;
  world.until_running();
  auto job = world.object(World::kJob);
  job["metadata"]["uid"] = "job-2";
  job.erase("status");
  world.client.store(World::kJob, job);
  const auto former = world.pod(0)["metadata"]["uid"];
  world.look();
  EXPECT_EQ(world.pod(0)["metadata"]["uid"], former);
  EXPECT_THAT(world.status().message, HasSubstr("of a former job of this name"));
  EXPECT_EQ(annotations_of(world.pod(0))["rollcall.dev/attempt"], "1");
  // The garbage collector does its work, the RollCall last.
  std::erase_if(world.client.objects, [](const auto& item) { return item.first.starts_with("pods/"); });
  world.settle();
  EXPECT_THAT(world.status().message, HasSubstr("RollCall tj-llama-1 exists and is not this job's"));
  world.client.objects.erase("rollcalls/ml/tj-llama-1");
  world.settle();
  EXPECT_EQ(world.roll_call()["spec"]["job"]["uid"], "job-2");
  EXPECT_FALSE(annotations_of(world.pod(0)).contains("rollcall.dev/master-addr"));
}

TEST(Reconcile, PodWithoutTheProbeUnderOurNameIsNotCalledWhoeverOwnsIt) {
  World world;
  world.client.store(
      "pods/ml/llama-1-1",
      {{"metadata",
        {{"name", "llama-1-1"},
         {"namespace", "ml"},
         {"uid", "forged"},
         {"labels",
          {{"rollcall.dev/job-name", "llama"}, {"rollcall.dev/node-rank", "1"}, {"rollcall.dev/attempt", "1"}}},
         {"ownerReferences", {{{"uid", "job-1"}, {"controller", true}}}}}},
       {"spec", {{"containers", {{{"name", "trainer"}}}}}}});
  world.settle();
  ASSERT_TRUE(world.has_roll_call());
  EXPECT_NE(world.pod(1)["metadata"]["uid"], "forged") << "it was deleted and ours was made";
  EXPECT_EQ(world.roll_call()["spec"]["roster"][1]["uid"], world.pod(1)["metadata"]["uid"]);
}

TEST(Reconcile, OwnPodThatStandsInNoRosterIsDeleted) {
  World world;
  world.until_called();
  auto stray = world.pod(1);
  stray["metadata"]["name"] = "llama-7-1";
  stray["metadata"]["uid"] = "stray";
  stray["metadata"]["labels"]["rollcall.dev/node-rank"] = "7";
  world.client.store("pods/ml/llama-7-1", stray);
  world.settle();
  EXPECT_TRUE(world.pod(7)["metadata"].contains("deletionTimestamp"));
  EXPECT_FALSE(world.pod(1)["metadata"].contains("deletionTimestamp"));
}

// ---------------------------------------------------------------------------------------------- ends before the
// release
struct EndCase {
  const char* reason;
  int retries_used;
  int start_failures;
  std::chrono::seconds at_least, at_most;
};
class Ends : public testing::TestWithParam<EndCase> {};

TEST_P(Ends, LeadToTheNextAttemptWithEveryPodGone) {
  const auto& c = GetParam();
  World world;
  world.until_called();
  world.desk_ends(c.reason, "Because.");
  world.settle();
  auto status = world.status();
  EXPECT_EQ(status.attempt, 2);
  EXPECT_EQ(status.retries_used, c.retries_used);
  EXPECT_EQ(status.start_failures, c.start_failures);
  EXPECT_EQ(status.phase, "Pending");
  EXPECT_THAT(status.message, HasSubstr("Because."));
  const auto next = at(status.next_attempt_at) - world.now;
  EXPECT_GE(next, c.at_least);
  EXPECT_LE(next, c.at_most);
  for (int rank = 0; rank < 2; ++rank) EXPECT_TRUE(world.pod(rank)["metadata"].contains("deletionTimestamp"));
  EXPECT_FALSE(world.has_pod(0, 2)) << "not before its time";

  world.pass(std::chrono::duration_cast<std::chrono::seconds>(next));
  world.settle();
  EXPECT_FALSE(world.has_pod(0, 2)) << "not while the former pod is there";
  world.kubelets_let_go();
  world.settle();
  EXPECT_TRUE(world.has_pod(0, 2));
  EXPECT_TRUE(world.has_roll_call(2));
}

INSTANTIATE_TEST_SUITE_P(Table, Ends,
                         testing::Values(EndCase{"PodsNotStarted", 0, 1, 60s, 74s},
                                         EndCase{"HoldExpired", 1, 0, 5s, 8s}, EndCase{"PodLost", 1, 0, 5s, 8s},
                                         EndCase{"AddressChanged", 1, 0, 5s, 8s}),
                         [](const auto& end) { return std::string(end.param.reason); });

TEST(Reconcile, CauseThatIsTheJobsOwnFailsItAndKeepsTheLogs) {
  World world;
  world.until_called();
  world.desk_ends("JobsOwnCause", "MASTER_PORT 80 needs a privilege on every node.");
  world.settle();
  EXPECT_EQ(reason_of(world, "Failed"), "True/JobsOwnCause");
  EXPECT_EQ(world.pod(0)["spec"]["activeDeadlineSeconds"], 1);
  EXPECT_FALSE(world.pod(0)["metadata"].contains("deletionTimestamp"));
}

TEST(Reconcile, RetriesUsedUpFailTheJob) {
  World world(2, {{"rollCall", {{"retries", 1}}}});
  world.until_called();
  world.desk_ends("HoldExpired", "Held too long.");
  world.settle();
  EXPECT_EQ(world.status().retries_used, 1);
  world.kubelets_let_go();
  world.pass(60s);
  world.until_called(2, 2);
  world.desk_ends("HoldExpired", "Held too long again.", 2);
  world.settle();
  EXPECT_EQ(reason_of(world, "Failed"), "True/RollCallFailed");
  EXPECT_THAT(world.status().message, HasSubstr("Held too long again."));
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_TRUE(world.has_roll_call(2)) << "the last report is kept";
}

TEST(Reconcile, PodLostBeforeTheVerdictEndsTheAttempt) {
  World world;
  world.until_called();
  world.client.objects.erase("pods/ml/llama-1-1");
  world.settle();
  EXPECT_EQ(world.roll_call()["status"]["verdict"]["reason"], "PodLost");
  EXPECT_EQ(world.roll_call()["status"]["verdict"]["by"], "operator");
  EXPECT_THAT(world.roll_call()["status"]["verdict"]["message"],
              HasSubstr("node rank 1 (rank 1), pod llama-1-1 is gone"));
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(Reconcile, FailedInitContainerIsNamed) {
  World world;
  world.until_called();
  world.pod(1)["status"] = Json::parse(
      R"({"phase": "Failed", "initContainerStatuses": [{"name": "data", "state": {"terminated": {"exitCode": 2, "reason": "Error", "message": "no such bucket"}}}]})");
  world.settle();
  EXPECT_THAT(world.roll_call()["status"]["verdict"]["message"],
              HasSubstr("init container data ended with exit code 2: no such bucket"));
}

TEST(Reconcile, PodThatOnlySeemsLostEndsNothing) {
  World world;
  world.until_called();
  auto observed = world.observe();
  std::erase_if(observed.pods, [](const auto& pod) { return pod.node_rank == 1; });  // a cache that is behind
  const auto decision = reconcile(observed, world.now);
  kube::EventRecorder recorder(world.client, "test");
  const ApplyObserver nobody{[](auto, const auto&) {}, [](auto, const auto&, const auto&) {}, [](const Event&) {}};
  EXPECT_EQ(apply(world.client, recorder, observed, decision, world.now, nobody), Applied::Again);
  EXPECT_FALSE(world.roll_call().contains("status"));
}

TEST(Reconcile, VerdictOfTheDeskIsNeverOverwritten) {
  World world;
  world.until_called();
  const auto before = world.observe();
  world.client.objects.erase("pods/ml/llama-1-1");
  auto observed = world.observe();
  world.desk_releases();  // the desk was quicker
  const auto decision = reconcile(observed, world.now);
  kube::EventRecorder recorder(world.client, "test");
  const ApplyObserver nobody{[](auto, const auto&) {}, [](auto, const auto&, const auto&) {}, [](const Event&) {}};
  static_cast<void>(apply(world.client, recorder, observed, decision, world.now, nobody));
  EXPECT_EQ(world.roll_call()["status"]["verdict"]["kind"], "Released");
}

TEST(Reconcile, OnTheHostNetworkAllFormerPodsMustBeGone) {
  World world(
      2,
      {{"template",
        Json::parse(
            R"({"spec": {"hostNetwork": true, "containers": [{"name": "trainer", "image": "t", "command": ["python", "x.py"]}]}})")}});
  world.until_called();
  world.desk_ends("HoldExpired", "x.");
  world.settle();
  world.pass(60s);
  world.client.objects.erase("pods/ml/llama-0-1");
  world.settle();
  EXPECT_FALSE(world.has_pod(0, 2)) << "llama-1-1 still has its ports";
  EXPECT_THAT(world.status().message, HasSubstr("waits for pod llama-1-1 of attempt 1 to be gone from gpu-1"));
  EXPECT_THAT(world.status().message, HasSubstr("is node gpu-1 lost?"));
  world.kubelets_let_go();
  world.settle();
  EXPECT_TRUE(world.has_pod(0, 2));
}

TEST(Reconcile, FiveRollCallsAreKept) {
  World world;
  world.until_called();
  for (int attempt = 1; attempt <= 6; ++attempt) {
    world.desk_ends("PodsNotStarted", "No room.", attempt);
    world.settle();
    world.kubelets_let_go();
    world.pass(15min);
    world.until_called(2, attempt + 1);
  }
  EXPECT_FALSE(world.has_roll_call(2));
  EXPECT_TRUE(world.has_roll_call(3));
  EXPECT_TRUE(world.has_roll_call(7));
}

}  // namespace
}  // namespace rollcall::operator_
