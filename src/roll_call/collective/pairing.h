#pragma once

#include <vector>

/// Which pairs to try when a collective fails, and what the outcomes prove. Pure arithmetic over places 0 … n-1: nodes
/// of a job, or GPUs of a node. Names nobody whom another explanation would clear.
namespace rollcall::roll_call {

struct PairOf {
  int a = 0;
  int b = 0;
  bool operator==(const PairOf&) const = default;
};

struct Trial {
  int a = 0;
  int b = 0;
  bool good = false;
  double gbytes = 0;  ///< bus bandwidth; 0 = not measured
};

/// Most rounds of pairs: the first finds, the second tells a node from a path, the third a node from a partition.
inline constexpr int kPairRounds = 3;

/// Disjoint pairs for round `round` (0, 1, 2), none of them tried before; empty = more pairs would tell nothing new.
/// 0 and 1: neighbours in rank order, then the neighbours between those. NCCL's rings run along them, so that every
///    link of the ring that failed is tried; whoever failed meets another partner; and all that work form one chain.
/// 2: whoever has worked with nobody yet meets another such, since two that work together are a side of a split and
///    not two broken nodes; pieces of the chain that a failure parted meet each other.
std::vector<PairOf> next_pairs(int n, const std::vector<Trial>& trials, int round);

struct Blame {
  enum class Kind {
    Nothing,    ///< every pair tried works
    Nodes,      ///< these fail with everyone they met, at least two of whom work with others
    Pairs,      ///< these pairs fail, and no more is known of either end
    Partition,  ///< each side works within itself, nothing between them does
    Everyone,   ///< no pair tried works
  };
  Kind kind = Kind::Nothing;
  std::vector<int> nodes;     ///< of Nodes
  std::vector<PairOf> pairs;  ///< of Pairs; of Nodes: further pairs that no named node explains
  std::vector<int> side;      ///< of Partition: the smaller side, as far as it was seen
  std::vector<int> other_side;
  std::vector<int> unknown;  ///< of Partition: works with nobody it met, side not known
  std::size_t tried = 0;
};
Blame conclude(int n, const std::vector<Trial>& trials);

}  // namespace rollcall::roll_call
