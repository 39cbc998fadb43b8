// Histories from the release to the end of a job.
#include <gmock/gmock.h>

#include "operator/conditions.h"
#include "operator/reconcile.h"
#include "operator/world.h"

namespace rollcall::operator_ {
namespace {

using namespace testing_world;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Released, TrainerThatDoesNotRunAMinuteAfterTheFirstEndsTheAttempt) {
  World world;
  world.until_released();
  world.trainer_runs(0);
  world.settle();
  EXPECT_EQ(world.look_again, 60000ms);
  world.pass(59s);
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  world.pass(1s);
  world.settle();
  EXPECT_EQ(world.roll_call()["status"]["end"]["reason"], "TrainerNotStarted");
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.status().retries_used, 1);
  EXPECT_TRUE(world.pod(0)["metadata"].contains("deletionTimestamp")) << "no survivor waits for ever";
}

TEST(Released, ImagePullsAreNotCounted) {
  World world;
  world.until_released();
  world.trainer_runs(0);
  world.pod(1)["status"]["containerStatuses"] =
      Json::parse(R"([{"name": "trainer", "state": {"waiting": {"reason": "ImagePullBackOff"}}}])");
  world.pass(300s);
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  world.pass(1801s);
  world.settle();
  EXPECT_EQ(world.roll_call()["status"]["end"]["reason"], "TrainerNotStarted") << "but not for ever";
}

TEST(Released, AJobWhoseRollCallMetDoublesSaysSo) {
  World world;
  world.until_called();
  world.desk_writes({{"report", {{"simulated", true}}}});
  world.desk_names_address();
  world.desk_releases();
  world.settle();
  for (const int rank : {0, 1}) world.trainer_runs(rank);
  world.settle();
  EXPECT_EQ(world.status().message, "2 of 2 trainers running. SIMULATED: the roll call met doubles, no GPUs.");
}

TEST(Released, TrainerThatEndsBadlyFailsTheJobAndTheSurvivorsAreEnded) {
  World world;
  world.until_running();
  world.trainer_ends(1, 137, "OOMKilled");
  world.settle();
  EXPECT_EQ(reason_of(world, "Failed"), "True/TrainerFailed");
  EXPECT_THAT(
      world.status().message,
      HasSubstr(
          "node rank 1 (rank 1) on gpu-1, pod llama-1-1: trainer was killed for memory (OOMKilled, exit code 137)"));
  EXPECT_EQ(world.pod(0)["spec"]["activeDeadlineSeconds"], 1);
  EXPECT_FALSE(world.pod(0)["metadata"].contains("deletionTimestamp")) << "logs stay";
  EXPECT_FALSE(world.pod(1)["spec"].contains("activeDeadlineSeconds"));
  EXPECT_EQ(world.roll_call()["status"]["end"]["reason"], "JobFinished");
}

TEST(Released, DeadlineOfTheTemplateIsNamedAsTheCause) {
  World world;
  world.until_running();
  world.trainer_ends(1, 137, "Error");
  world.pod(1)["spec"]["activeDeadlineSeconds"] = 15;
  world.pod(1)["status"].update({{"phase", "Failed"}, {"reason", "DeadlineExceeded"}});
  world.settle();
  EXPECT_EQ(reason_of(world, "Failed"), "True/TrainerFailed");
  EXPECT_THAT(world.status().message, HasSubstr("activeDeadlineSeconds of the template (15) ended the pod"));
}

TEST(Released, FirstTrainerToEndBadlyIsTheCause) {
  World world(3);
  world.until_running(3);
  world.pass(10s);
  world.trainer_ends(2, 1, "Error");
  world.pass(5s);
  world.trainer_ends(0, 134, "Error");
  world.settle();
  EXPECT_THAT(world.status().message, HasSubstr("node rank 2 (rank 2)"));
  EXPECT_THAT(world.status().message, HasSubstr("1 other trainer ended badly after it"));
}

struct LossCase {
  const char* name;
  const char* pod_status;
  const char* says;
};
class Losses : public testing::TestWithParam<LossCase> {};

TEST_P(Losses, OfAPodWhileTrainingSpendARetry) {
  World world;
  world.until_running();
  world.pod(1)["status"].update(Json::parse(GetParam().pod_status));
  world.settle();
  EXPECT_EQ(world.roll_call()["status"]["end"]["reason"], "PodLost");
  EXPECT_THAT(world.roll_call()["status"]["end"]["message"], HasSubstr(GetParam().says));
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.status().retries_used, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Losses,
    testing::Values(
        LossCase{"Evicted", R"({"phase": "Failed", "reason": "Evicted", "message": "The node was low on memory."})",
                 "(Evicted): The node was low on memory."},
        LossCase{
            "Drained",
            R"({"conditions": [{"type": "DisruptionTarget", "status": "True", "message": "Eviction API: evicting"}]})",
            "Eviction API"},
        LossCase{
            "NodeRestarted",
            R"({"phase": "Failed", "containerStatuses": [{"name": "trainer", "state": {"terminated": {"exitCode": 137, "reason": "ContainerStatusUnknown"}}}]})",
            "lost its containers"},
        LossCase{"FailedBeforeItsTrainer", R"({"phase": "Failed", "containerStatuses": []})",
                 "failed before its trainer ran"}),
    [](const auto& loss) { return std::string(loss.param.name); });

TEST(Released, ChangedAddressOfNodeRankZeroAfterReleaseEndsTheAttempt) {
  World world;
  world.until_running();
  world.pod(0)["status"]["podIPs"] = Json::array({{{"ip", "10.1.0.77"}}});
  world.settle();
  EXPECT_EQ(world.roll_call()["status"]["end"]["reason"], "AddressChanged");
}

TEST(Released, OtherContainersNeverHoldAJobOpen) {
  World world;
  world.until_running();
  for (int rank = 0; rank < 2; ++rank) {
    world.trainer_ends(rank, 0, "Completed");
    world.pod(rank)["status"]["phase"] = "Running";
    world.pod(rank)["status"]["containerStatuses"].push_back(
        Json::parse(R"({"name": "log", "state": {"running": {}}})"));
  }
  world.settle();
  EXPECT_EQ(world.status().phase, "Succeeded");
  EXPECT_EQ(world.pod(0)["spec"]["activeDeadlineSeconds"], 1);
}

TEST(Released, PodWhoseContainersHaveEndedIsNotEndedAgain) {
  World world;
  world.until_running();
  for (int rank = 0; rank < 2; ++rank) {
    world.trainer_ends(rank, 0, "Completed");
    world.pod(rank)["status"]["phase"] = "Running";  // the kubelet's phase comes a moment later
  }
  world.settle();
  EXPECT_EQ(world.status().phase, "Succeeded");
  EXPECT_FALSE(world.pod(0)["spec"].contains("activeDeadlineSeconds"));
}

TEST(Released, FinishedJobIsLeftAlone) {
  World world;
  world.until_running();
  world.trainer_ends(0, 0, "Completed");
  world.trainer_ends(1, 0, "Completed");
  world.settle();
  world.client.objects.erase("pods/ml/llama-0-1");
  world.person_annotates("rollcall.dev/release", "x");
  EXPECT_FALSE(world.look());
  EXPECT_EQ(world.status().phase, "Succeeded");
}

TEST(Released, AboveSixtyFourNodesThoseThatNeedAttentionAreListed) {
  World world(70);
  world.until_running(70);
  EXPECT_EQ(world.status().nodes.size(), 50U);
  world.trainer_ends(69, 0, "Completed");
  world.settle();
  EXPECT_EQ(world.status().nodes.back().node_rank, 69);
  EXPECT_EQ(world.status().nodes.back().state, "Succeeded");
}

}  // namespace
}  // namespace rollcall::operator_
