#include "roll_call/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace rollcall::roll_call {
namespace {

TEST(Schedule, EveryoneMeetsEveryoneOnce) {
  for (int n : {2, 3, 4, 5, 8, 17, 64, 512}) {
    for (int node = 0; node < n; ++node) {
      const auto peers = peers_of(node, n);
      const std::set<int> all(peers.begin(), peers.end());
      ASSERT_EQ(peers.size(), static_cast<std::size_t>(n - 1)) << n << " " << node;
      ASSERT_EQ(all.size(), peers.size());
      ASSERT_EQ(all.count(node), 0u);
      ASSERT_GE(*all.begin(), 0);
      ASSERT_LT(*all.rbegin(), n);
    }
  }
}

TEST(Schedule, InEachRoundOfTheCircleNoNodeIsMetTwice) {
  for (int n : {4, 8, 64}) {  // even: no pauses, so the place in the list is the round
    for (std::size_t round = 0; round < static_cast<std::size_t>(n - 1); ++round) {
      for (int node = 0; node < n; ++node) {
        const int partner = peers_of(node, n)[round];
        ASSERT_EQ(peers_of(partner, n)[round], node) << n << " round " << round;
      }
    }
  }
}

TEST(Schedule, OneNodeHasNoPeers) {
  EXPECT_TRUE(peers_of(0, 1).empty());
  EXPECT_TRUE(peers_of(0, 0).empty());
}

TEST(Schedule, Above512NodesASampleThatIsSymmetricAndConnected) {
  for (int n : {513, 1000, 1001}) {
    std::vector<std::set<int>> peers;
    for (int node = 0; node < n; ++node) {
      const auto list = peers_of(node, n);
      peers.emplace_back(list.begin(), list.end());
      ASSERT_EQ(peers.back().size(), list.size()) << "a peer named twice";
      ASSERT_EQ(peers.back().count(node), 0u);
    }
    for (int node = 0; node < n; ++node) {
      for (const int peer : peers[static_cast<std::size_t>(node)])
        ASSERT_EQ(peers[static_cast<std::size_t>(peer)].count(node), 1u) << node << " " << peer;
      ASSERT_EQ(peers[static_cast<std::size_t>(node)].count((node + 1) % n), 1u) << "ring";
      if (node > 0) {
        ASSERT_EQ(peers[static_cast<std::size_t>(node)].count(0), 1u) << "star";
        ASSERT_LE(peers[static_cast<std::size_t>(node)].size(), 24u);
      }
    }
  }
}

TEST(Schedule, CoverageTellsTheShare) {
  EXPECT_EQ(coverage(64).tried, 64 * 63);
  EXPECT_EQ(coverage(64).all, 64 * 63);
  const auto sample = coverage(1000);
  EXPECT_EQ(sample.all, 999000);
  EXPECT_GT(sample.tried, 20000);
  EXPECT_LT(sample.tried, 30000);
}

}  // namespace
}  // namespace rollcall::roll_call
