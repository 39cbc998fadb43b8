#include "roll_call/collective/search.h"

#include <algorithm>
#include <numeric>

#include "roll_call/collective/judge.h"
#include "roll_call/collective/outcome.h"
#include "roll_call/collective/sizes.h"

namespace rollcall::roll_call {
namespace {

/// For the verdict to be written before the round's time is over.
constexpr std::chrono::milliseconds kTail{5'000};

const char* variable_of(SearchPhase phase) {
  return phase == SearchPhase::WithoutIb ? "NCCL_IB_DISABLE" : "NCCL_P2P_DISABLE";
}

const Pod& pod_of(const Roll& roll, int node) { return roll.pods[static_cast<std::size_t>(node)]; }

int member(const Search& search, int place) { return search.members[static_cast<std::size_t>(place)]; }

bool time_left(const Roll& roll, TimePoint now) {
  const auto ends = round_ends_at(roll);
  return !ends || now + child_deadline(roll, kPairDeadline) + kAnswerMargin + kTail <= *ends;
}

/// Nobody silent is asked again.
bool can_be_tried(const Roll& roll, const Search& search, const PairOf& pair) {
  if (search.node >= 0) return !pod_of(roll, search.node).silent;
  return !pod_of(roll, member(search, pair.a)).silent && !pod_of(roll, member(search, pair.b)).silent;
}

/// A node tries one pair of its GPUs at a time, a job all pairs of a round at once.
void fill(const Roll& roll, Search& search, SearchPhase phase) {
  search.out.clear();
  if (phase != SearchPhase::Rounds) {
    // Within a node nothing goes over InfiniBand; and what is only slow would be slower without its fast path.
    const bool pointless = (search.node >= 0 && phase == SearchPhase::WithoutIb) || roll.memory.by_floor;
    if (const auto pair = failing_pair(search); pair && !pointless && can_be_tried(roll, search, *pair))
      search.out = {*pair};
    return;
  }
  while (search.queue.empty() && search.rounds < kPairRounds) {
    search.queue = next_pairs(static_cast<int>(search.members.size()), search.trials, search.rounds++);
    std::erase_if(search.queue, [&](const PairOf& pair) { return !can_be_tried(roll, search, pair); });
  }
  if (search.queue.empty()) return;
  if (search.node < 0) {
    search.out = std::move(search.queue);
    search.queue.clear();
  } else {
    search.out = {search.queue.front()};
    search.queue.erase(search.queue.begin());
  }
}

Team team_for(const Roll& roll, const Search& search, const PairOf& pair) {
  if (search.node < 0) return team_of(roll, {member(search, pair.a), member(search, pair.b)});
  Team team;
  team.seats.push_back({search.node, {member(search, pair.a), member(search, pair.b)}, 0});
  team.nranks = 2;
  return team;
}

SearchPhase after(SearchPhase phase) {
  switch (phase) {
    case SearchPhase::Rounds:
      return SearchPhase::WithoutIb;
    case SearchPhase::WithoutIb:
      return SearchPhase::WithoutP2p;
    default:
      return SearchPhase::Over;
  }
}

/// The two seats' results; empty when a side brought none and the pair says nothing.
std::vector<Ran> results_of(const Roll& roll, const Search& search, const PairOf& pair) {
  std::vector<int> nodes{search.node};
  if (search.node < 0) nodes = {member(search, pair.a), member(search, pair.b)};
  std::vector<Ran> ran;
  bool given_up = false;
  for (const int node : nodes) {
    const Pod& pod = pod_of(roll, node);
    const auto& place = roll.plan.places[static_cast<std::size_t>(node)];
    const Team& team = roll.plan.teams[static_cast<std::size_t>(place.team)];
    given_up = given_up || team.given_up;
    if (pod.collective && pod.collective->done)
      ran.push_back({&pod, &pod.collective->ranks, team.seats[static_cast<std::size_t>(place.seat)].gpus.size()});
  }
  // The first node ended before the other could begin: that failed, and is all there is to know.
  return ran.size() == nodes.size() || (given_up && !ran.empty()) ? ran : std::vector<Ran>{};
}

}  // namespace

std::vector<Search> searches_of(const Roll& roll) {
  std::vector<Search> searches;
  if (!roll.memory.failed_nodes.empty()) {
    for (const int node : roll.memory.failed_nodes) {
      Search search;
      search.node = node;
      search.members = usable_gpus(roll, pod_of(roll, node));
      if (search.members.size() > 1 && !pod_of(roll, node).silent) searches.push_back(std::move(search));
    }
  } else if (roll.memory.localise_job) {
    Search search;
    search.members.resize(roll.pods.size());
    std::iota(search.members.begin(), search.members.end(), 0);
    searches.push_back(std::move(search));
  }
  return searches;
}

std::optional<Wanted> next_trials(Roll& roll, TimePoint now) {
  CollectiveMemory& memory = roll.memory;
  while (memory.phase != SearchPhase::Over) {
    if (!time_left(roll, now)) {
      memory.out_of_time = true;
      memory.phase = SearchPhase::Over;
      break;
    }
    Wanted wanted;
    bool in_nodes = false;
    for (Search& search : memory.searches) {
      fill(roll, search, memory.phase);
      in_nodes = in_nodes || search.node >= 0;
      for (const PairOf& pair : search.out) wanted.teams.push_back(team_for(roll, search, pair));
    }
    if (wanted.teams.empty()) {
      memory.phase = after(memory.phase);
      continue;
    }
    // Within a node the probe makes the id itself.
    wanted.scope = in_nodes ? CollectiveScope::Node : CollectiveScope::Pair;
    wanted.large_bytes = large_bytes(roll);
    wanted.base = kPairDeadline;
    if (memory.phase != SearchPhase::Rounds) wanted.env = {{variable_of(memory.phase), "1"}};
    return wanted;
  }
  return std::nullopt;
}

void take_results(Roll& roll) {
  CollectiveMemory& memory = roll.memory;
  for (Search& search : memory.searches) {
    for (const PairOf& pair : search.out) {
      const auto ran = results_of(roll, search, pair);
      if (ran.empty()) continue;
      Trial trial{pair.a, pair.b, true, 0};
      const std::size_t expected = search.node < 0 ? 2 : 1;
      trial.good = ran.size() == expected && std::all_of(ran.begin(), ran.end(), sound);
      for (const Ran& each : ran) {
        const double gbytes = bus_gbytes(*each.ranks);
        if (gbytes > 0) trial.gbytes = trial.gbytes > 0 ? std::min(trial.gbytes, gbytes) : gbytes;
      }
      std::string how = trial.good ? std::string() : how_it_failed(ran);
      const auto& floor = roll.spec.thresholds.min_bus_bandwidth_gigabytes;
      if (memory.by_floor && floor && trial.good && trial.gbytes > 0 &&
          trial.gbytes < static_cast<double>(floor->value)) {
        trial.good = false;
        how = std::string(kBelowFloor);
      }
      if (memory.phase != SearchPhase::Rounds) {
        search.reruns[variable_of(memory.phase)] = trial.good;
        continue;
      }
      if (!trial.good && search.how.empty()) search.how = std::move(how);
      search.trials.push_back(trial);
    }
    search.out.clear();
  }
  // Each rerun is run once.
  if (memory.phase != SearchPhase::Rounds) memory.phase = after(memory.phase);
}

std::optional<PairOf> failing_pair(const Search& search) {
  const Blame blame = conclude(static_cast<int>(search.members.size()), search.trials);
  // A named node's pair with one that works tells of the node.
  for (const Trial& trial : search.trials) {
    if (trial.good) continue;
    const auto named = [&](int place) { return std::count(blame.nodes.begin(), blame.nodes.end(), place) > 0; };
    if (blame.nodes.empty() || named(trial.a) != named(trial.b)) return PairOf{trial.a, trial.b};
  }
  return std::nullopt;
}

}  // namespace rollcall::roll_call
