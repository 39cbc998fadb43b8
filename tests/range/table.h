#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "range/range.h"

namespace rollcall::range {

enum class End { Released, Held };

/// A finding that a fault must lead to.
struct Blame {
  std::string rule;          ///< of the finding; several that are right are separated by '|'
  std::string severity;      ///< "fail" or "warn"
  std::set<int> nodes;       ///< its node ranks, no more and no fewer
  std::string says;          ///< a part of its message that carries the direction or the cause; may be empty
  std::set<int> named = {};  ///< further nodes that its message may name: the two sides of a partition
};

struct Truth {
  End end = End::Held;
  std::vector<Blame> blames;  ///< every failing and warning finding of the roll call is one of these, and each is there
};

/// One fault, on any number of nodes.
struct Fault {
  std::string name;  ///< CamelCase, the test's
  std::string what;  ///< for the table
  std::function<Truth(int nodes)> truth;
  std::function<void(Range&)> make = {};  ///< before the probes start
  Range::Options options = {};
  /// After the roll call, with the probes still there when it was held; returns what is wrong, empty = nothing.
  std::function<std::string(Range&)> after = {};
  /// Kept as long as the row runs: relays.
  std::function<std::shared_ptr<void>(Range&)> keep = {};
  std::function<std::string()> unavailable = {};  ///< why it cannot be made on this machine; empty = it can
};

/// Makes the fault, calls the roll, and compares with the truth: the end, the blamed nodes, and every node named in any
/// failing or warning sentence. Returns what is wrong, empty = nothing; adds a row to the table that is printed when
/// the program ends.
std::string play(const Fault& fault, int nodes);

}  // namespace rollcall::range
