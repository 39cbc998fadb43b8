#include "roll_call/blame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "roll_call/pods.h"
#include "roll_call/schedule.h"

namespace rollcall::roll_call {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Roll roll_of(int n, int gpus = 8) {
  Roll roll;
  roll.spec.gpus_per_pod = gpus;
  roll.spec.master_port = 29500;
  for (int i = 0; i < n; ++i) roll.pods.push_back(testing::placed_pod(i));
  return roll;
}

using Fails = std::function<EdgeOutcome(int, int)>;

std::vector<api::NodeFinding> blamed(const Roll& roll, const Fails& fails, bool rendezvous = true) {
  MeshResult mesh;
  mesh.roll = &roll;
  mesh.rendezvous_works = rendezvous;
  for (int from = 0; from < roll.nnodes(); ++from) {
    mesh.peers.push_back(peers_of(from, roll.nnodes()));
    for (const int to : mesh.peers.back()) {
      const EdgeOutcome outcome = fails(from, to);
      if (outcome != EdgeOutcome::Ok)
        mesh.failed.push_back({from, Edge{to, outcome, 40000, 4, 4, 3000, "errno's words"}});
    }
  }
  return blame(mesh);
}

EdgeOutcome dropped_if(bool failed) { return failed ? EdgeOutcome::Dropped : EdgeOutcome::Ok; }

TEST(Blame, NothingFailedNothingSaid) {
  EXPECT_TRUE(blamed(roll_of(4), [](int, int) { return EdgeOutcome::Ok; }).empty());
}

TEST(Blame, OneDirectionOfOnePair) {
  const auto found = blamed(roll_of(4), [](int from, int to) { return dropped_if(from == 1 && to == 3); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "mesh/dropped");
  EXPECT_EQ(found[0].message,
            "gpu-3 (node rank 3, ranks 24-31) drops new connections from gpu-1 (node rank 1) to the 4 ephemeral ports "
            "we tried, 2 of 4 nodes are fine. "
            "The rendezvous port 29500 works, so training would start and then hang in NCCL. Open 32768-60999 between "
            "the job's nodes (NetworkPolicy, security group).");
  EXPECT_THAT(found[0].node_ranks, ElementsAre(1, 3));
  EXPECT_EQ(found[0].owner, "network");
}

TEST(Blame, BothDirectionsOfOnePair) {
  const auto found = blamed(roll_of(4), [](int a, int b) { return dropped_if(a + b == 4 && a != b && a * b == 3); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].message, HasSubstr("new connections between gpu-1 (node rank 1, ranks 8-15) and gpu-3 (node "
                                          "rank 3, ranks 24-31) are dropped in both directions"));
}

TEST(Blame, TwoNodesCannotTellTheSide) {
  const auto found = blamed(roll_of(2), [](int from, int) { return dropped_if(from == 0); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].message, HasSubstr("(between gpu-0 and gpu-1: with two nodes the side at fault can't be told)"));
  EXPECT_THAT(found[0].message, Not(HasSubstr("fine")));
}

TEST(Blame, ThreeNodesNamePairsNotNodes) {
  const auto found = blamed(roll_of(3), [](int from, int to) { return dropped_if(from == 2 || to == 2); });
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0].node_ranks, ElementsAre(0, 2));
  EXPECT_THAT(found[1].node_ranks, ElementsAre(1, 2));
}

TEST(Blame, ANodeWithMostOfItsPairsFailedIsTheOne) {
  // The commonest fault: a firewall on one node; its own connections work, so only half of its edges fail.
  const auto inward = blamed(roll_of(8), [](int, int to) { return dropped_if(to == 5); });
  ASSERT_EQ(inward.size(), 1u);
  EXPECT_THAT(inward[0].node_ranks, ElementsAre(5));
  EXPECT_THAT(inward[0].message,
              HasSubstr("gpu-5 (node rank 5, ranks 40-47) drops new connections from 7 of the 7 other nodes to the 4 "
                        "ephemeral ports we tried, "
                        "while its own connections to them work; the fault is most likely at that node."));
  const auto outward = blamed(roll_of(8), [](int from, int) { return dropped_if(from == 5); });
  ASSERT_EQ(outward.size(), 1u);
  EXPECT_THAT(outward[0].message, HasSubstr("new connections from gpu-5 (node rank 5, ranks 40-47) to 7 of the 7 other "
                                            "nodes are dropped, while theirs to it work"));
  const auto both = blamed(roll_of(8), [](int from, int to) { return dropped_if(from == 5 || to == 5); });
  ASSERT_EQ(both.size(), 1u);
  EXPECT_THAT(both[0].message, HasSubstr("are dropped in both directions"));
}

TEST(Blame, TwoBadNodesAreTwoFindings) {
  const auto found =
      blamed(roll_of(8), [](int from, int to) { return dropped_if(from == 2 || to == 2 || from == 6 || to == 6); });
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0].node_ranks, ElementsAre(2));
  EXPECT_THAT(found[1].node_ranks, ElementsAre(6));
}

TEST(Blame, WhereNoPairWorksNobodyIsNamed) {
  for (const int nodes : {4, 6, 9}) {
    const auto found = blamed(roll_of(nodes), [](int, int) { return EdgeOutcome::Dropped; });
    ASSERT_EQ(found.size(), 1u) << nodes;
    EXPECT_EQ(found[0].rule, "mesh/every-pair");
    EXPECT_THAT(found[0].node_ranks, ::testing::IsEmpty());
    EXPECT_THAT(found[0].message, HasSubstr(std::to_string(nodes * (nodes - 1) / 2) + " pairs of the job's " +
                                            std::to_string(nodes) + " nodes"));
    EXPECT_THAT(found[0].message, HasSubstr("Open 32768-60999 between the job's nodes"));
    EXPECT_THAT(found[0].message, Not(HasSubstr("gpu-")));
  }
}

TEST(Blame, OfThreeNodesThatFailAlikeNoneIsNamedByItsOrder) {
  const auto found = blamed(roll_of(4), [](int from, int to) { return dropped_if(from < 3 && to < 3); });
  ASSERT_EQ(found.size(), 3u);
  for (const auto& each : found) EXPECT_EQ(each.node_ranks.size(), 2u) << each.message;
}

TEST(Blame, NodesThatFailWithEverybodyAreNamedTogetherWhileAPairWorks) {
  const auto found = blamed(roll_of(5), [](int from, int to) { return dropped_if(from < 3 || to < 3); });
  ASSERT_EQ(found.size(), 3u);
  for (int node = 0; node < 3; ++node) EXPECT_THAT(found[static_cast<std::size_t>(node)].node_ranks, ElementsAre(node));
}

TEST(Blame, ABadNodeAndABadPairAreBothNamed) {
  const auto found = blamed(roll_of(8), [](int from, int to) { return dropped_if(to == 5 || (from == 0 && to == 1)); });
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0].node_ranks, ElementsAre(5));
  EXPECT_THAT(found[1].node_ranks, ElementsAre(0, 1));
}

TEST(Blame, HalfAgainstHalfIsAPartition) {
  const auto found = blamed(roll_of(8), [](int from, int to) { return dropped_if((from < 4) != (to < 4)); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "mesh/partition");
  EXPECT_THAT(found[0].message,
              HasSubstr("gpu-2 (node rank 2) and gpu-3 (node rank 3) on one side, gpu-4 (node rank 4)"));
}

TEST(Blame, TwoAgainstSixIsAPartitionToo) {
  const auto found = blamed(roll_of(8), [](int from, int to) { return dropped_if((from < 2) != (to < 2)); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "mesh/partition");
  EXPECT_THAT(found[0].node_ranks, ElementsAre(0, 1));
}

TEST(Blame, EachOutcomeHasItsWordsAndItsAdvice) {
  struct Case {
    EdgeOutcome outcome;
    const char* rule;
    const char* says;
    const char* advice;
  };
  for (const Case& each :
       {Case{EdgeOutcome::Refused, "mesh/refused",
             "gpu-3 (node rank 3, ranks 24-31) refuses new connections from gpu-1 (node rank 1)", "Open 32768-60999"},
        Case{EdgeOutcome::NoRoute, "mesh/no-route",
             "gpu-1 (node rank 1) has no route to gpu-3 (node rank 3, ranks 24-31) (errno's words)", "routes"},
        Case{EdgeOutcome::Stalled, "mesh/stalled", "open, then 64 KiB do not come through", "MTU"},
        Case{EdgeOutcome::WrongPeer, "mesh/wrong-peer", "something else than the probe answers gpu-1", "proxy"},
        Case{EdgeOutcome::LocalError, "mesh/local-error", "gpu-1 (node rank 1) could not try to reach",
             "Look at that node"}}) {
    const auto found =
        blamed(roll_of(4), [&](int from, int to) { return from == 1 && to == 3 ? each.outcome : EdgeOutcome::Ok; });
    ASSERT_EQ(found.size(), 1u) << each.rule;
    EXPECT_EQ(found[0].rule, each.rule);
    EXPECT_THAT(found[0].message, HasSubstr(each.says));
    EXPECT_THAT(found[0].message, HasSubstr(each.advice));
  }
}

TEST(Blame, TheRendezvousPortIsNotPraisedWhenItFails) {
  const auto found = blamed(
      roll_of(4), [](int from, int to) { return dropped_if(from == 1 && to == 3); }, false);
  EXPECT_THAT(found[0].message, HasSubstr("The rendezvous port 29500 does not work for every node either."));
}

TEST(Blame, WithoutGpusItHangsInItsFirstCollective) {
  const auto found = blamed(roll_of(4, 0), [](int from, int to) { return dropped_if(from == 1 && to == 3); });
  EXPECT_THAT(found[0].message, HasSubstr("training would start and then hang in its first collective"));
}

TEST(Blame, APageOfPairsIsCounted) {
  // Every third pair of 32 nodes: no node above half, no split.
  const auto found = blamed(roll_of(32), [](int from, int to) { return dropped_if((from + to) % 3 == 0); });
  ASSERT_EQ(found.size(), 21u);
  EXPECT_THAT(found.back().message, HasSubstr("more pairs of nodes failed in the mesh"));
}

}  // namespace
}  // namespace rollcall::roll_call
