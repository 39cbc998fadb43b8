#include "probe/steps/mesh_times.h"

#include <algorithm>

namespace rollcall::probe {

using roll_call::EdgeOutcome;

namespace {

/// So many times the median of our own peers looks odd; whether it is, the desk judges from all of them.
constexpr double kOddRoundTrip = 5;
/// And so much above it: half of what the desk warns of. Without it a busy node would measure many sound pairs.
constexpr double kOddAboveMs = 1;

bool odder(const roll_call::PeerTime& a, const roll_call::PeerTime& b) {
  if ((a.retransmits > 0) != (b.retransmits > 0)) return a.retransmits > 0;
  return a.milliseconds > b.milliseconds;
}

/// What TCP measured; a kernel before 4.6 does not say, then the whole exchange.
double least(const ExchangeResult& result) {
  return result.round_trip_ms > 0 ? result.round_trip_ms : result.milliseconds;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

PeerTimes::PeerTimes(const std::vector<roll_call::Peer>& peers) {
  for (const auto& peer : peers) {
    line_of_[peer.node_rank] = lines_.size();
    Line line;
    line.peer = peer;
    line.time.to = peer.node_rank;
    lines_.push_back(std::move(line));
  }
}

void PeerTimes::add(int node_rank, const ExchangeResult& result) {
  const auto at = line_of_.find(node_rank);
  if (at == line_of_.end() || result.outcome != EdgeOutcome::Ok) return;
  Line& line = lines_[at->second];
  auto& time = line.time;
  time.bytes += static_cast<std::int64_t>(result.bytes);
  time.retransmits += result.retransmits;
  time.milliseconds = line.reached ? std::min(time.milliseconds, least(result)) : least(result);
  line.reached = true;
}

void PeerTimes::add_large(int node_rank, const ExchangeResult& result) {
  const auto at = line_of_.find(node_rank);
  if (at == line_of_.end()) return;
  auto& time = lines_[at->second].time;
  if (result.outcome == EdgeOutcome::Stalled) {
    time.milliseconds = std::max(time.milliseconds, result.milliseconds);
    lines_[at->second].stalled = true;
  }
  // Anything else that is not Ok (a probe of a version without large exchanges) says nothing about the path.
  if (result.outcome != EdgeOutcome::Ok && result.outcome != EdgeOutcome::Stalled) return;
  // Of two the better one: a queue that overflowed once is no lossy path, and a lossy path loses in both.
  Line& line = lines_[at->second];
  if (!line.measured || result.retransmits < time.retransmits) {
    time.bytes = static_cast<std::int64_t>(result.bytes);
    time.retransmits = result.retransmits;
  }
  line.measured = true;
  if (result.outcome == EdgeOutcome::Ok) time.milliseconds = std::min(time.milliseconds, least(result));
}

double PeerTimes::median_round_trip() const {
  std::vector<double> all;
  for (const Line& line : lines_) {
    if (line.time.milliseconds > 0) all.push_back(line.time.milliseconds);
  }
  return median(std::move(all));
}

std::vector<ExchangeTarget> PeerTimes::to_measure(const roll_call::MeshState& state, int pass) const {
  const double usual = median_round_trip();
  const double odd_from = std::max(kOddRoundTrip * usual, usual + kOddAboveMs);
  const bool all = pass == 0 && lines_.size() < kMeasureAllNodes;
  std::vector<const Line*> wanted;
  for (const Line& line : lines_) {
    const auto failed = std::find_if(state.failed.begin(), state.failed.end(),
                                     [&](const roll_call::Edge& edge) { return edge.to == line.time.to; });
    if (!line.reached || line.stalled || line.peer.ports.empty() || failed != state.failed.end()) continue;
    const bool odd = line.time.retransmits > 0 || (pass == 0 && usual > 0 && line.time.milliseconds >= odd_from);
    if (all || odd) wanted.push_back(&line);
  }
  if (wanted.size() > kMeasuredPeers) {
    std::stable_sort(wanted.begin(), wanted.end(),
                     [](const Line* a, const Line* b) { return odder(a->time, b->time); });
    wanted.resize(kMeasuredPeers);
  }
  std::vector<ExchangeTarget> targets;
  for (const Line* line : wanted) targets.push_back({line->time.to, line->peer.address, line->peer.ports.front()});
  return targets;
}

std::vector<roll_call::PeerTime> PeerTimes::told() const {
  std::vector<roll_call::PeerTime> times;
  for (const Line& line : lines_) {
    if (line.reached) times.push_back(line.time);
  }
  if (times.size() > roll_call::kMaxPeerTimes) {
    std::stable_sort(times.begin(), times.end(), odder);
    times.resize(roll_call::kMaxPeerTimes);
  }
  return times;
}

}  // namespace rollcall::probe
