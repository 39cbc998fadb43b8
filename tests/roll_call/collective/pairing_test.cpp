#include "roll_call/collective/pairing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>

// Pairs are tried against random faults; whoever is named must be part of the fault.
namespace rollcall::roll_call {
namespace {

/// What is really broken. `works` may be of chance.
struct Truth {
  std::function<bool(int, int)> works;
  std::set<int> nodes;                    ///< may be named as nodes
  std::function<bool(int, int)> in_pair;  ///< may be named as a pair
  std::vector<int> side;                  ///< of a split, by node; empty = none
};

struct Played {
  Blame blame;
  std::vector<Trial> trials;
  int rounds = 0;
};

Played play(int n, const Truth& truth) {
  Played played;
  for (int round = 0; round < kPairRounds; ++round) {
    const auto pairs = next_pairs(n, played.trials, round);
    if (pairs.empty()) continue;
    ++played.rounds;
    std::set<int> used;
    for (const PairOf& pair : pairs) {
      EXPECT_TRUE(used.insert(pair.a).second && used.insert(pair.b).second) << "a node in two pairs of a round";
      for (const Trial& trial : played.trials)
        EXPECT_FALSE((trial.a == pair.a && trial.b == pair.b) || (trial.a == pair.b && trial.b == pair.a));
      played.trials.push_back({pair.a, pair.b, truth.works(pair.a, pair.b), 0});
    }
  }
  played.blame = conclude(n, played.trials);
  return played;
}

void check_within(const Blame& blame, const Truth& truth) {
  for (const int node : blame.nodes) EXPECT_TRUE(truth.nodes.count(node) > 0) << "node " << node << " is innocent";
  for (const PairOf& pair : blame.pairs)
    EXPECT_TRUE(truth.in_pair(pair.a, pair.b)) << "pair " << pair.a << "-" << pair.b << " is innocent";
  if (blame.kind != Blame::Kind::Partition) return;
  ASSERT_FALSE(truth.side.empty()) << "a split that is none";
  std::set<int> first;
  std::set<int> second;
  for (const int node : blame.side) first.insert(truth.side[static_cast<std::size_t>(node)]);
  for (const int node : blame.other_side) second.insert(truth.side[static_cast<std::size_t>(node)]);
  EXPECT_TRUE(first.size() == 1 && second.size() == 1 && first != second) << "sides are mixed";
}

class Faults {
 public:
  explicit Faults(unsigned seed) : random_(seed) {}
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  Truth bad_nodes(int n, int count, double chance = 1) {
    Truth truth;
    while (static_cast<int>(truth.nodes.size()) < count) truth.nodes.insert(below(n));
    const auto nodes = truth.nodes;
    truth.works = [this, nodes, chance](int a, int b) {
      const bool hit = nodes.count(a) > 0 || nodes.count(b) > 0;
      return !hit || std::uniform_real_distribution<>(0, 1)(random_) >= chance;
    };
    truth.in_pair = [nodes](int a, int b) { return nodes.count(a) > 0 || nodes.count(b) > 0; };
    return truth;
  }

  Truth bad_pairs(int n, int count, double chance = 1) {
    std::set<std::set<int>> pairs;
    std::set<int> ends;
    while (static_cast<int>(pairs.size()) < count) {
      const int a = below(n);
      // Often neighbours: what a ring runs along is what fails.
      const int b = below(2) == 0 ? (a + 1) % n : below(n);
      if (a == b || ends.count(a) > 0 || ends.count(b) > 0) continue;
      ends.insert({a, b});
      pairs.insert({a, b});
    }
    Truth truth;
    truth.works = [this, pairs, chance](int a, int b) {
      return pairs.count({a, b}) == 0 || std::uniform_real_distribution<>(0, 1)(random_) >= chance;
    };
    truth.in_pair = [pairs](int a, int b) { return pairs.count({a, b}) > 0; };
    return truth;
  }

  /// Each side of two or more: a single node cut off is a bad node to everyone.
  Truth split(int n, bool contiguous) {
    Truth truth;
    truth.side.assign(static_cast<std::size_t>(n), 0);
    const int size = 2 + below(n - 3);
    const int start = below(n);
    if (contiguous) {
      for (int i = 0; i < size; ++i) truth.side[static_cast<std::size_t>((start + i) % n)] = 1;
    } else {
      for (int i = 0; i < size;) {
        int& side = truth.side[static_cast<std::size_t>(below(n))];
        i += side == 0 ? 1 : 0;
        side = 1;
      }
    }
    const auto sides = truth.side;
    truth.works = [sides](int a, int b) {
      return sides[static_cast<std::size_t>(a)] == sides[static_cast<std::size_t>(b)];
    };
    truth.in_pair = [works = truth.works](int a, int b) { return !works(a, b); };
    return truth;
  }

 private:
  std::mt19937 random_;
};

constexpr unsigned kSeeds = 2000;

TEST(Pairing, ABadNodeIsNamedAndNobodyElse) {
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Faults faults(seed);
    const int n = 3 + faults.below(62);
    const Truth truth = faults.bad_nodes(n, 1);
    const Played played = play(n, truth);
    check_within(played.blame, truth);
    ASSERT_EQ(played.blame.kind, Blame::Kind::Nodes) << n;
    ASSERT_EQ(played.blame.nodes, std::vector<int>(truth.nodes.begin(), truth.nodes.end()));
    ASSERT_TRUE(played.blame.pairs.empty());
  }
}

TEST(Pairing, ABadLinkOfTheRingIsNamedAsAPair) {
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Faults faults(seed);
    const int n = 2 + faults.below(63);
    const int a = faults.below(n);
    const int b = (a + 1) % n;
    Truth truth;
    truth.works = [a, b](int x, int y) { return !((x == a && y == b) || (x == b && y == a)); };
    truth.in_pair = [&](int x, int y) { return !truth.works(x, y); };
    const Played played = play(n, truth);
    check_within(played.blame, truth);
    ASSERT_EQ(played.blame.kind, Blame::Kind::Pairs) << n;
    ASSERT_EQ(played.blame.pairs.size(), 1u);
  }
}

TEST(Pairing, ASplitIsNeverTakenForABadNode) {
  unsigned named = 0;
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Faults faults(seed);
    const int n = 4 + faults.below(61);
    const Truth truth = faults.split(n, seed % 2 == 0);
    const Played played = play(n, truth);
    check_within(played.blame, truth);
    ASSERT_NE(played.blame.kind, Blame::Kind::Nothing) << n;
    named += played.blame.kind == Blame::Kind::Partition ? 1U : 0U;
  }
  // The rest are named as pairs, which is true as well.
  EXPECT_GT(named, kSeeds * 9 / 10) << named;
}

TEST(Pairing, SeveralFaultsNameOnlyTheGuilty) {
  unsigned named = 0;
  for (unsigned seed = 1; seed <= 2 * kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Faults faults(seed);
    const int n = 6 + faults.below(59);
    const bool nodes = seed % 2 == 0;
    const Truth truth = nodes ? faults.bad_nodes(n, 2) : faults.bad_pairs(n, 2);
    const Played played = play(n, truth);
    check_within(played.blame, truth);
    if (nodes) named += played.blame.nodes.size() == 2 ? 1U : 0U;
  }
  EXPECT_GT(named, kSeeds * 9 / 10) << named;
}

TEST(Pairing, WhatFailsAtTimesNamesOnlyTheGuilty) {
  for (unsigned seed = 1; seed <= 2 * kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Faults faults(seed);
    const int n = 2 + faults.below(63);
    const double chance = 0.1 + 0.1 * faults.below(9);
    const Truth truth = seed % 2 == 0 ? faults.bad_nodes(n, 1, chance) : faults.bad_pairs(n, 1, chance);
    check_within(play(n, truth).blame, truth);
  }
}

TEST(Pairing, LostOutcomesNameOnlyTheGuilty) {
  for (unsigned seed = 1; seed <= 2 * kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Faults faults(seed);
    const int n = 4 + faults.below(61);
    const Truth truth = seed % 3 == 0   ? faults.bad_nodes(n, 1)
                        : seed % 3 == 1 ? faults.split(n, seed % 2 == 0)
                                        : faults.bad_pairs(n, 1);
    std::vector<Trial> trials;
    for (int round = 0; round < kPairRounds; ++round) {
      for (const PairOf& pair : next_pairs(n, trials, round)) {
        if (faults.below(4) != 0) trials.push_back({pair.a, pair.b, truth.works(pair.a, pair.b), 0});
      }
    }
    check_within(conclude(n, trials), truth);
  }
}

TEST(Pairing, TwoNodesCannotBeSeparated) {
  const auto first = next_pairs(2, {}, 0);
  ASSERT_EQ(first, (std::vector<PairOf>{{0, 1}}));
  const std::vector<Trial> trials{{0, 1, false, 0}};
  EXPECT_TRUE(next_pairs(2, trials, 1).empty());
  EXPECT_TRUE(next_pairs(2, trials, 2).empty());
  const Blame blame = conclude(2, trials);
  EXPECT_EQ(blame.kind, Blame::Kind::Pairs);
  EXPECT_EQ(blame.pairs, (std::vector<PairOf>{{0, 1}}));
}

TEST(Pairing, WhenNothingWorksNobodyIsNamed) {
  for (int n = 3; n < 20; ++n) {
    Truth truth;
    truth.works = [](int, int) { return false; };
    const Played played = play(n, truth);
    EXPECT_EQ(played.blame.kind, Blame::Kind::Everyone) << n;
    EXPECT_TRUE(played.blame.nodes.empty());
  }
}

TEST(Pairing, WhenEverythingWorksTheWholeRingWasTried) {
  for (int n = 2; n < 40; ++n) {
    Truth truth;
    truth.works = [](int, int) { return true; };
    const Played played = play(n, truth);
    EXPECT_EQ(played.blame.kind, Blame::Kind::Nothing);
    for (int i = 0; i < n; ++i) {
      const int next = (i + 1) % n;
      EXPECT_TRUE(std::any_of(
          played.trials.begin(), played.trials.end(),
          [&](const Trial& trial) { return (trial.a == i && trial.b == next) || (trial.b == i && trial.a == next); }))
          << n << ": " << i;
    }
  }
}

}  // namespace
}  // namespace rollcall::roll_call
