#include "roll_call/thresholds.h"

#include <gmock/gmock.h>

#include "roll_call/world.h"

namespace rollcall::roll_call {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<api::NodeFinding> judged(const std::vector<std::int64_t>& shm_mebibytes,
                                     const api::Thresholds& thresholds) {
  std::vector<Pod> pods(shm_mebibytes.size());
  std::vector<const Pod*> pointers;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    pods[i].node_rank = static_cast<int>(i);
    pods[i].view = PodView{};
    pods[i].view->node = "gpu-" + std::to_string(i);
    pods[i].facts = LocalFacts{};
    pods[i].facts->shm_bytes = shm_mebibytes[i] << 20;
    pods[i].facts->nofile = 1024;
    pointers.push_back(&pods[i]);
  }
  return below_thresholds(pointers, thresholds);
}

TEST(Thresholds, ANodeWithLessFailsAndThePolicyIsNamed) {
  const auto findings = judged({1024, 64, 0}, {api::Threshold{1024, "gpu-teams"}, std::nullopt});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "node/shm-below-policy");
  EXPECT_EQ(findings[0].severity, "fail");
  EXPECT_THAT(findings[0].node_ranks, ElementsAre(1, 2));
  EXPECT_EQ(findings[0].message,
            "2 of 3 nodes have less than the 1024 MiB of /dev/shm that RollcallPolicy gpu-teams asks for: gpu-1 (node "
            "rank 1) with /dev/shm of 64 MiB and gpu-2 (node rank 2) with no /dev/shm. Mount an emptyDir of medium "
            "Memory at /dev/shm in the trainer's container");
}

TEST(Thresholds, OpenFilesAreJudgedByThemselves) {
  const auto findings = judged({64}, {std::nullopt, api::Threshold{65536, "all"}});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(
      findings[0].message,
      "1 of 1 node has less than the 65536 open files that RollcallPolicy all asks for: gpu-0 (node rank 0) with a "
      "limit of 1024. Raise LimitNOFILE of the container runtime on these nodes");
}

TEST(Thresholds, WithoutAPolicyNothingIsJudged) { EXPECT_THAT(judged({0, 64}, {}), IsEmpty()); }

TEST(Thresholds, EnoughEverywhereIsNoFinding) {
  EXPECT_THAT(judged({64, 65}, {api::Threshold{64, "p"}, api::Threshold{1024, "p"}}), IsEmpty());
}

TEST(Thresholds, HoldTheJobThroughTheDesk) {
  testing::World world(2, [](api::RollCall& r) {
    r.spec.thresholds.min_open_files = api::Threshold{1 << 30, "strict"};
  });
  world.see_all();
  world.round();
  EXPECT_EQ(world.status().stage, "Held");
  EXPECT_TRUE(world.has_finding("node/nofile-below-policy"));
}

}  // namespace
}  // namespace rollcall::roll_call
