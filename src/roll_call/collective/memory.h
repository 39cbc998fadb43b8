#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "roll_call/collective/pairing.h"

/// What the stages of the collectives keep for each other within a round. Part of Roll.
namespace rollcall::roll_call {

/// `how` of a pair that is sound, but below the policy's bandwidth.
inline constexpr std::string_view kBelowFloor = "slower than the policy asks for";

/// A search for what is broken: pairs of a job's nodes, or of one node's GPUs.
struct Search {
  int node = -1;             ///< node rank whose GPUs are tried; -1 = the job's nodes
  std::vector<int> members;  ///< node ranks, or CUDA indices; trials count them by their place here
  std::vector<Trial> trials;
  int rounds = 0;
  std::vector<PairOf> queue;           ///< of the round that runs, not yet tried
  std::vector<PairOf> out;             ///< being tried
  std::string how;                     ///< how the first failing pair failed
  std::map<std::string, bool> reruns;  ///< variable that was set for the failing pair → it worked
};

/// What localisation does now.
enum class SearchPhase { Rounds, WithoutIb, WithoutP2p, Over };

struct CollectiveMemory {
  std::vector<int> failed_nodes;  ///< their in-node collective failed, pairs of GPUs may tell more
  bool localise_job = false;      ///< the job-wide one failed, pairs of nodes may tell more
  bool by_floor = false;          ///< it was sound, but below the policy's bandwidth: pairs are held to that
  int measured = 0;               ///< times the collective of the present stage was run
  SearchPhase phase = SearchPhase::Rounds;
  bool out_of_time = false;
  std::vector<Search> searches;
};

}  // namespace rollcall::roll_call
