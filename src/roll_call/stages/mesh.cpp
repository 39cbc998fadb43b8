#include <fmt/format.h>

#include <algorithm>

#include "roll_call/blame.h"
#include "roll_call/mesh_times.h"
#include "roll_call/schedule.h"
#include "roll_call/stages/stage.h"
#include "roll_call/words.h"

namespace rollcall::roll_call::stages {
namespace {

constexpr int kListen = 0;
constexpr int kConnect = 1;

bool listens(const Pod& pod) { return pod.mesh && !pod.mesh->ports.empty(); }
bool connected(const Pod& pod) { return pod.mesh && pod.mesh->done; }

/// Peers of `node` that were named to it: those that listen.
std::size_t expected_peers(const Roll& roll, int node) {
  const auto peers = peers_of(node, roll.nnodes());
  return static_cast<std::size_t>(std::count_if(
      peers.begin(), peers.end(), [&](int peer) { return listens(roll.pods[static_cast<std::size_t>(peer)]); }));
}

/// A probe's count that does not fit: it says it is done, names no failure, and has fewer sound edges than it was
/// given.
void report_short_count(Roll& roll, const Pod& pod, std::size_t expected) {
  add(roll, Stage::Mesh,
      {"mesh/incomplete",
       "fail",
       fmt::format("{} ended its part of the mesh with {} of {} connections sound and {} failures named", who(pod),
                   pod.mesh->ok, expected, pod.mesh->failed.size()),
       {pod.node_rank},
       "node"});
}

}  // namespace

Progress mesh(Roll& roll, TimePoint now) {
  const int n = roll.nnodes();
  if (n == 1) return {Outcome::Skipped, "the job has one node"};
  if (roll.step == kListen) {
    if (!settled(roll, Stage::Mesh, now, *mesh_due(roll), "opened its listeners for the mesh", listens)) return {};
    next_step(roll, now);
  }
  if (!settled(roll, Stage::Mesh, now, *mesh_due(roll), "tried all its peers in the mesh", connected)) return {};

  MeshResult result;
  result.roll = &roll;
  result.rendezvous_works = roll.run_of(Stage::MasterPort).state == StageState::Passed;
  double slowest = 0;
  for (const Pod& pod : roll.pods) {
    result.peers.push_back(peers_of(pod.node_rank, n));
    if (!pod.mesh) continue;
    slowest = std::max(slowest, pod.mesh->slowest_ms);
    std::size_t named = 0;
    for (const Edge& edge : pod.mesh->failed) {
      // What a pod says about a node that is no peer of it is nonsense.
      const auto& peers = result.peers.back();
      if (edge.outcome == EdgeOutcome::Ok || std::find(peers.begin(), peers.end(), edge.to) == peers.end()) continue;
      result.failed.push_back({pod.node_rank, edge});
      ++named;
    }
    const std::size_t expected = expected_peers(roll, pod.node_rank);
    if (pod.mesh->done && named == 0 && static_cast<std::size_t>(pod.mesh->ok) < expected)
      report_short_count(roll, pod, expected);
  }
  for (auto& finding : blame(result)) add(roll, Stage::Mesh, std::move(finding));
  for (auto& finding : slow_and_lossy(result)) add(roll, Stage::Mesh, std::move(finding));

  const Coverage covered = coverage(n);
  std::string remark = fmt::format("{} connections, slowest {:.1f} ms", covered.tried, slowest);
  if (covered.tried < covered.all) {
    remark += fmt::format("; a sample: {:.1f} % of all {} ordered pairs",
                          100.0 * static_cast<double>(covered.tried) / static_cast<double>(covered.all), covered.all);
  }
  return by_findings(roll, Stage::Mesh, remark);
}

Order mesh_order(const Roll& roll, const Pod& pod) {
  if (roll.step == kListen) return {listens(pod) ? Step::Wait : Step::ListenMesh};
  if (connected(pod)) return {};
  return {Step::ConnectMesh, true};
}

std::optional<TimePoint> mesh_due(const Roll& roll) {
  if (roll.step == kListen) return roll.step_from + kListenDeadline;
  return roll.step_from + kMeshBase + kMeshPerNode * roll.nnodes() + kMeshMargin;
}

}  // namespace rollcall::roll_call::stages
