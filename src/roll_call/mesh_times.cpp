#include "roll_call/mesh_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "roll_call/odd_nodes.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

/// Warnings about single pairs before the rest are only counted.
constexpr std::size_t kMaxPairs = 20;

/// Racks and zones of one healthy job are a few times apart; 2 ms is more than any building is long.
constexpr double kFarTimes = 5;
constexpr double kFarAboveMs = 2;
/// TCP with a round trip of 0.1 ms makes 1.7 GB/s at most with this loss (Mathis: 1448 B / RTT x 1.22 / sqrt(p)), and
/// sound networks lose a thousandth of it.
constexpr double kLossy = 0.005;
/// Payload of one segment: 1500 bytes of MTU less IPv4 and TCP with timestamps. With jumbo frames there are fewer
/// segments and the share is understated six times, never overstated.
constexpr double kSegmentBytes = 1448;
constexpr std::int64_t kLeastBytes = 2'000'000;
/// A large exchange that took this long was given up (the probe's deadline for one is 5 s).
constexpr double kGivenUpMs = 5000;

using Pair = NodePair;

/// One pair of nodes, as its two ends measured it.
struct Path {
  double round_trip_ms = 0;
  const PeerTime* up = nullptr;  ///< from the lower node rank
  const PeerTime* down = nullptr;
};

double share(const PeerTime& time) {
  return static_cast<double>(time.retransmits) * kSegmentBytes /
         static_cast<double>(std::max<std::int64_t>(time.bytes, 1));
}
bool lossy(const PeerTime* time) { return time != nullptr && time->bytes >= kLeastBytes && share(*time) >= kLossy; }
bool given_up(const PeerTime* time) {
  return time != nullptr && time->bytes < kLeastBytes && time->milliseconds >= kGivenUpMs;
}

std::map<Pair, Path> paths_of(const MeshResult& mesh) {
  std::set<std::pair<int, int>> broken;
  for (const auto& each : mesh.failed) broken.insert({each.from, each.edge.to});
  std::map<Pair, Path> paths;
  for (const Pod& pod : mesh.roll->pods) {
    if (!pod.mesh || pod.silent) continue;
    const auto& peers = mesh.peers[static_cast<std::size_t>(pod.node_rank)];
    for (const PeerTime& time : pod.mesh->times) {
      // What a pod says about a node that is no peer of it is nonsense; a broken path has a finding of its own.
      if (std::find(peers.begin(), peers.end(), time.to) == peers.end()) continue;
      // One that fell silent meanwhile is named as that.
      if (mesh.roll->pods[static_cast<std::size_t>(time.to)].silent) continue;
      if (broken.count({pod.node_rank, time.to}) > 0 || broken.count({time.to, pod.node_rank}) > 0) continue;
      Path& path = paths[std::minmax(pod.node_rank, time.to)];
      (pod.node_rank < time.to ? path.up : path.down) = &time;
      if (!given_up(&time) && time.milliseconds > 0 &&
          (path.round_trip_ms <= 0 || time.milliseconds < path.round_trip_ms))
        path.round_trip_ms = time.milliseconds;
    }
  }
  return paths;
}

/// What is usual: the median of all pairs; of three, the shortest, since one odd node has two of them.
double usual_round_trip(const std::map<Pair, Path>& paths) {
  std::vector<double> all;
  for (const auto& [pair, path] : paths) {
    if (path.round_trip_ms > 0) all.push_back(path.round_trip_ms);
  }
  if (all.size() < 2) return 0;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() <= 3 ? 0 : (all.size() - 1) / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

/// Of each node those with whom it was measured: a peer that is broken or silent says nothing of what is usual.
std::vector<std::vector<int>> measured_peers(const MeshResult& mesh, const std::map<Pair, Path>& paths) {
  std::vector<std::vector<int>> peers(mesh.roll->pods.size());
  for (const auto& [pair, path] : paths) {
    peers[static_cast<std::size_t>(pair.first)].push_back(pair.second);
    peers[static_cast<std::size_t>(pair.second)].push_back(pair.first);
  }
  return peers;
}

struct Kind {
  const char* pair_rule;
  const char* node_rule;
  std::function<std::string(const Pair&, const Path&)> of_pair;  ///< what is so of a pair, a clause
  std::function<std::string(const Pod&, const std::vector<const Path*>&)> of_node;
  const char* advice;
};

void tell(const MeshResult& mesh, const std::map<Pair, Path>& paths, std::set<Pair> odd, const Kind& kind,
          std::vector<api::NodeFinding>& findings) {
  const std::set<Pair> all = odd;
  for (const int node : take_odd_nodes(measured_peers(mesh, paths), odd)) {
    std::vector<const Path*> own;
    for (const Pair& pair : all) {
      if (pair.first == node || pair.second == node) own.push_back(&paths.at(pair));
    }
    findings.push_back({kind.node_rule,
                        "warn",
                        kind.of_node(mesh.roll->pods[static_cast<std::size_t>(node)], own) + kind.advice,
                        {node},
                        "network"});
  }
  std::size_t named = 0;
  for (const Pair& pair : odd) {
    if (named++ == kMaxPairs) {
      findings.push_back({kind.pair_rule,
                          "warn",
                          fmt::format("{} more pairs of nodes are like that", odd.size() - kMaxPairs),
                          {},
                          "network"});
      break;
    }
    findings.push_back({kind.pair_rule,
                        "warn",
                        kind.of_pair(pair, paths.at(pair)) + kind.advice,
                        {pair.first, pair.second},
                        "network"});
  }
}

std::set<Pair> those(const std::map<Pair, Path>& paths, const std::function<bool(const Path&)>& odd) {
  std::set<Pair> pairs;
  for (const auto& [pair, path] : paths) {
    if (odd(path)) pairs.insert(pair);
  }
  return pairs;
}

}  // namespace

std::vector<api::NodeFinding> slow_and_lossy(const MeshResult& mesh) {
  std::vector<api::NodeFinding> findings;
  const auto paths = paths_of(mesh);
  const auto& pods = mesh.roll->pods;
  const auto pod = [&](int node) -> const Pod& { return pods[static_cast<std::size_t>(node)]; };

  const double usual = usual_round_trip(paths);
  const auto timed = static_cast<std::size_t>(
      std::count_if(paths.begin(), paths.end(), [](const auto& each) { return each.second.round_trip_ms > 0; }));
  const std::string than = fmt::format("{} of the {} pairs that were timed is {:.2f} ms",
                                       timed <= 3 ? "the shortest" : "the median", timed, usual);
  const auto far = [&](const Path& path) {
    return usual > 0 && path.round_trip_ms >= kFarTimes * usual && path.round_trip_ms >= usual + kFarAboveMs;
  };
  tell(mesh, paths, those(paths, far),
       {"mesh/slow-pair", "mesh/slow-node",
        [&](const Pair& pair, const Path& path) {
          return fmt::format("a round trip between {} and {} takes {:.1f} ms; {}", who(pod(pair.first)),
                             who(pod(pair.second)), path.round_trip_ms, than);
        },
        [&](const Pod& node, const std::vector<const Path*>& own) {
          double least = own.front()->round_trip_ms;
          for (const Path* path : own) least = std::min(least, path->round_trip_ms);
          return fmt::format("round trips between {} and {} of the {} other nodes take {:.1f} ms or more; {}",
                             who(node), own.size(), pods.size() - 1, least, than);
        },
        ". Training runs, but every collective waits for it: look for a tunnel, a detour or another zone on the way"},
       findings);

  tell(mesh, paths, those(paths, [](const Path& path) { return lossy(path.up) || lossy(path.down); }),
       {"mesh/loss", "mesh/loss",
        [&](const Pair& pair, const Path& path) {
          const auto way = [&](int from, int to, const PeerTime& time) {
            return fmt::format("from {} to {} {} of about {:.0f} TCP segments had to be sent again ({:.1f} %)",
                               who_briefly(pod(from)), who_briefly(pod(to)), time.retransmits,
                               static_cast<double>(time.bytes) / kSegmentBytes, 100 * share(time));
          };
          std::string words;
          if (lossy(path.up)) words = way(pair.first, pair.second, *path.up);
          if (lossy(path.down)) words += (words.empty() ? "" : ", and ") + way(pair.second, pair.first, *path.down);
          return words;
        },
        [&](const Pod& node, const std::vector<const Path*>& own) {
          double most = 0;
          for (const Path* path : own) {
            for (const PeerTime* time : {path->up, path->down}) {
              if (lossy(time)) most = std::max(most, share(*time));
            }
          }
          return fmt::format(
              "between {} and {} of the {} other nodes TCP segments had to be sent again, up to {:.1f} %", who(node),
              own.size(), pods.size() - 1, 100 * most);
        },
        ". Training runs, slower than it could: look at the error counters of these ports, their cables, and at queues "
        "that "
        "overflow"},
       findings);

  tell(mesh, paths, those(paths, [](const Path& path) { return given_up(path.up) || given_up(path.down); }),
       {"mesh/slow-transfer", "mesh/slow-transfer",
        [&](const Pair& pair, const Path& path) {
          const PeerTime& time = given_up(path.up) ? *path.up : *path.down;
          const bool up = &time == path.up;
          return fmt::format("from {} to {} 2 MB did not come through within {:.0f} s, though 64 KiB did",
                             who_briefly(pod(up ? pair.first : pair.second)),
                             who_briefly(pod(up ? pair.second : pair.first)), time.milliseconds / 1000);
        },
        [&](const Pod& node, const std::vector<const Path*>& own) {
          return fmt::format(
              "between {} and {} of the {} other nodes 2 MB did not come through within 5 s, though 64 KiB did",
              who(node), own.size(), pods.size() - 1);
        },
        ". Look for a limit on the pod's bandwidth (kubernetes.io/egress-bandwidth), a policer, or heavy loss"},
       findings);
  return findings;
}

}  // namespace rollcall::roll_call
