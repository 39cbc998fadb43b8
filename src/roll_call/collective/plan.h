#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time_text.h"
#include "roll_call/collective.h"

/// The collective that is out: who takes part with which GPUs. Plain values, part of Roll; conduct.h leads it.
namespace rollcall::roll_call {

/// One node's part in a team.
struct Seat {
  int node = 0;  ///< node rank
  std::vector<int> gpus;
  int first_rank = 0;
};

/// One communicator. The first seat holds rank 0 and makes the unique id.
struct Team {
  std::vector<Seat> seats;
  int nranks = 0;
  std::string unique_id;  ///< empty = not made yet; stays so in scope Node, where no other node needs it
  bool given_up = false;  ///< its first node ended, or fell silent, without an id: the others never start
};

struct CollectivePlan {
  bool open = false;  ///< orders are out
  CollectiveScope scope = CollectiveScope::Node;
  std::vector<Team> teams;
  struct Place {
    int team = -1;  ///< -1 = this node takes no part
    int seat = 0;
  };
  std::vector<Place> places;  ///< by node rank
  std::int64_t small_bytes = 0;
  std::int64_t large_bytes = 0;
  std::chrono::milliseconds deadline{0};  ///< of a child
  std::map<std::string, std::string> env;
  /// When the last unique id was there, or given up: children run from here, and their deadline.
  std::optional<WallTime> started_at;
};

}  // namespace rollcall::roll_call
