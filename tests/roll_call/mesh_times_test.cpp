#include "roll_call/mesh_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "roll_call/pods.h"
#include "roll_call/schedule.h"

namespace rollcall::roll_call {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kMeasured = 2'359'296;  // 2 MiB and four times 64 KiB
constexpr std::int64_t kUnmeasured = 262'144;

/// Times of a job's mesh; what `of` leaves as it is is a sound path of 0.1 ms.
std::vector<api::NodeFinding> found(int nodes, const std::function<void(int from, PeerTime&)>& of,
                                    const std::vector<FailedEdge>& failed = {}) {
  Roll roll;
  for (int i = 0; i < nodes; ++i) {
    Pod pod = testing::placed_pod(i);
    pod.mesh = MeshState{};
    for (const int to : peers_of(i, nodes)) {
      PeerTime time{to, 0.1, kMeasured, 0};
      of(i, time);
      pod.mesh->times.push_back(time);
    }
    roll.pods.push_back(pod);
  }
  MeshResult mesh;
  mesh.roll = &roll;
  mesh.failed = failed;
  for (int i = 0; i < nodes; ++i) mesh.peers.push_back(peers_of(i, nodes));
  return slow_and_lossy(mesh);
}

bool is_pair(int from, const PeerTime& time, int a, int b) {
  return (from == a && time.to == b) || (from == b && time.to == a);
}

TEST(MeshTimes, ASoundMeshSaysNothing) {
  for (const int nodes : {2, 3, 8}) EXPECT_TRUE(found(nodes, [](int, PeerTime&) {}).empty()) << nodes;
}

TEST(MeshTimes, APairThatIsFurtherApartIsNamedWithBothFigures) {
  const auto findings = found(4, [](int from, PeerTime& time) {
    if (is_pair(from, time, 1, 2)) time.milliseconds = 20.3;
  });
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, "mesh/slow-pair");
  EXPECT_EQ(findings[0].severity, "warn");
  EXPECT_THAT(findings[0].node_ranks, ElementsAre(1, 2));
  EXPECT_THAT(
      findings[0].message,
      HasSubstr("a round trip between gpu-1 (node rank 1, ranks 8-15) and gpu-2 (node rank 2, ranks 16-23) takes "
                "20.3 ms; the median of the 6 pairs that were timed is 0.10 ms"));
}

TEST(MeshTimes, ABusyNodeThatMeasuredLateIsNotFarAway) {
  // Its peer's own measurement of the same path is the better one.
  EXPECT_TRUE(found(4, [](int from, PeerTime& time) {
                if (from == 1) time.milliseconds = 30;
              }).empty());
}

TEST(MeshTimes, ANodeFarFromAllOthersIsNamedAlone) {
  const auto far = [](int from, PeerTime& time) {
    if (from == 2 || time.to == 2) time.milliseconds = 9;
  };
  const auto findings = found(6, far);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, "mesh/slow-node");
  EXPECT_THAT(findings[0].node_ranks, ElementsAre(2));
  EXPECT_THAT(findings[0].message, HasSubstr("5 of the 5 other nodes take 9.0 ms or more"));
  // With three nodes a node and two paths can't be told apart.
  const auto of_three = found(3, far);
  ASSERT_EQ(of_three.size(), 2u);
  EXPECT_THAT(of_three[0].node_ranks, ElementsAre(0, 2));
  EXPECT_THAT(of_three[1].node_ranks, ElementsAre(1, 2));
  EXPECT_THAT(of_three[1].message, HasSubstr("the shortest of the 3 pairs that were timed is 0.10 ms"));
}

TEST(MeshTimes, RacksAndZonesOfAHealthyJobAreNoFinding) {
  // Five times apart, yet less than 2 ms; and two halves that are 2.5 ms apart, which is the median itself.
  EXPECT_TRUE(
      found(6, [](int from, PeerTime& time) { time.milliseconds = (from < 3) == (time.to < 3) ? 0.03 : 0.6; }).empty());
  EXPECT_TRUE(
      found(6, [](int from, PeerTime& time) { time.milliseconds = (from < 3) == (time.to < 3) ? 0.1 : 2.5; }).empty());
}

TEST(MeshTimes, LossIsToldWithItsDirection) {
  const auto findings = found(3, [](int from, PeerTime& time) {
    if (from == 1 && time.to == 2) time.retransmits = 31;
  });
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, "mesh/loss");
  EXPECT_EQ(findings[0].severity, "warn");
  EXPECT_THAT(findings[0].node_ranks, ElementsAre(1, 2));
  EXPECT_THAT(findings[0].message, HasSubstr("from gpu-1 (node rank 1) to gpu-2 (node rank 2) 31 of about 1629 TCP "
                                             "segments had to be sent again (1.9 %)"));
}

TEST(MeshTimes, LossIsNotJudgedBelowTwoMegabytesNorBelowHalfAPercent) {
  EXPECT_TRUE(found(3, [](int from, PeerTime& time) {
                if (from == 1) time = {time.to, 0.1, kUnmeasured, 90};
              }).empty());
  EXPECT_TRUE(found(3, [](int from, PeerTime& time) {
                if (from == 1) time.retransmits = 7;
              }).empty());
}

TEST(MeshTimes, ANodeThatLosesToMostOthersIsNamedAlone) {
  const auto findings = found(6, [](int from, PeerTime& time) {
    if (from == 4 && time.to != 0) time.retransmits = 40;
  });
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].node_ranks, ElementsAre(4));
  EXPECT_THAT(findings[0].message, HasSubstr("between gpu-4 (node rank 4, ranks 32-39) and 4 of the 5 other nodes"));
}

TEST(MeshTimes, ALargeTransferThatDoesNotEndIsToldAndIsNoRoundTrip) {
  const auto findings = found(4, [](int from, PeerTime& time) {
    if (from == 3 && time.to == 0) time = {0, 5001, 700'000, 0};
  });
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, "mesh/slow-transfer");
  EXPECT_THAT(findings[0].message,
              HasSubstr("from gpu-3 (node rank 3) to gpu-0 (node rank 0) 2 MB did not come through "
                        "within 5 s, though 64 KiB did"));
}

TEST(MeshTimes, ABrokenPathAndNonsenseAreLeftToOthers) {
  const FailedEdge broken{1, Edge{2, EdgeOutcome::Stalled, 40000, 4, 1, 5000, ""}};
  EXPECT_TRUE(found(4,
                    [](int from, PeerTime& time) {
                      if (is_pair(from, time, 1, 2)) time = {time.to, 50, kMeasured, 500};
                      if (from == 0) time.to += 100;
                    },
                    {broken})
                  .empty());
}

}  // namespace
}  // namespace rollcall::roll_call
