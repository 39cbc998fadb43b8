#include "roll_call/collective/conduct.h"

#include <algorithm>

#include "roll_call/collective/sizes.h"
#include "roll_call/deadlines.h"

namespace rollcall::roll_call {
namespace {

Pod& pod_at(Roll& roll, int node) { return roll.pods[static_cast<std::size_t>(node)]; }

/// Another node needs the id of this team, and neither it nor its refusal is there.
bool lacks_id(const Team& team) { return team.seats.size() > 1 && team.unique_id.empty() && !team.given_up; }

void learn_ids(Roll& roll, TimePoint now) {
  if (roll.plan.started_at) return;
  bool lacking = false;
  for (Team& team : roll.plan.teams) {
    if (!lacks_id(team)) continue;
    const Pod& first = pod_at(roll, team.seats.front().node);
    if (first.collective && !first.collective->unique_id.empty() && !first.collective->done) {
      team.unique_id = first.collective->unique_id;
      roll.orders_changed = true;
    } else if (first.silent || (first.collective && first.collective->done)) {
      team.given_up = true;
    } else {
      lacking = true;
    }
  }
  if (!lacking && !roll.plan.started_at) roll.plan.started_at = now;
}

const Team* team_at(const Roll& roll, const Pod& pod) {
  const auto index = static_cast<std::size_t>(pod.node_rank);
  if (index >= roll.plan.places.size() || roll.plan.places[index].team < 0) return nullptr;
  return &roll.plan.teams[static_cast<std::size_t>(roll.plan.places[index].team)];
}

bool is_first(const Team& team, const Pod& pod) { return team.seats.front().node == pod.node_rank; }

bool done(const Roll& roll, const Pod& pod) {
  const Team* team = team_at(roll, pod);
  if (team == nullptr || (pod.collective && pod.collective->done)) return true;
  return team->given_up && !is_first(*team, pod);
}

}  // namespace

void begin_collective(Roll& roll, TimePoint now, Wanted wanted) {
  for (Pod& pod : roll.pods) pod.collective.reset();
  ++roll.collective_id;
  CollectivePlan plan;
  plan.open = true;
  plan.scope = wanted.scope;
  plan.teams = std::move(wanted.teams);
  plan.places.resize(roll.pods.size());
  for (std::size_t g = 0; g < plan.teams.size(); ++g) {
    for (std::size_t s = 0; s < plan.teams[g].seats.size(); ++s) {
      plan.places[static_cast<std::size_t>(plan.teams[g].seats[s].node)] = {static_cast<int>(g), static_cast<int>(s)};
    }
  }
  plan.small_bytes = kSmallBytes;
  plan.large_bytes = wanted.large_bytes;
  plan.deadline = child_deadline(roll, wanted.base);
  plan.env = std::move(wanted.env);
  roll.plan = std::move(plan);
  stages::next_step(roll, now);
}

bool collective_over(Roll& roll, Stage stage, TimePoint now, const std::string& doing) {
  learn_ids(roll, now);
  if (!roll.plan.started_at) {
    // Whoever waits for an id does nothing yet: only its maker can be late.
    const auto made = [&](const Pod& pod) {
      const Team* team = team_at(roll, pod);
      return team == nullptr || !is_first(*team, pod) || !lacks_id(*team);
    };
    if (!stages::settled(roll, stage, now, *collective_due(roll), "made NCCL's unique id", made)) return false;
    learn_ids(roll, now);  // those that are silent now have none to give
  }
  const auto finished = [&](const Pod& pod) { return done(roll, pod); };
  auto deadline = *roll.plan.started_at + roll.plan.deadline + kAnswerMargin;
  if (now >= deadline) {
    // A probe that still answers may watch a child that is slow and not dead.
    const auto late = stages::missing(roll, finished);
    const bool answering = std::any_of(
        late.begin(), late.end(), [&](const Pod* pod) { return pod->heard_at && now - *pod->heard_at < kMute / 2; });
    if (answering) deadline += roll.plan.deadline * (kSlowFactor - 1);
  }
  return stages::settled(roll, stage, now, deadline, doing, finished);
}

void end_collective(Roll& roll) { roll.plan.open = false; }

stages::Order collective_order(const Roll& roll, const Pod& pod) {
  const Team* team = team_at(roll, pod);
  if (!roll.plan.open || team == nullptr || done(roll, pod)) return {};
  const bool waits_for_id = team->seats.size() > 1 && team->unique_id.empty();
  if (waits_for_id && !is_first(*team, pod)) return {};
  const auto& place = roll.plan.places[static_cast<std::size_t>(pod.node_rank)];
  const Seat& seat = team->seats[static_cast<std::size_t>(place.seat)];
  CollectiveOrder order;
  order.id = roll.collective_id;
  order.scope = roll.plan.scope;
  order.nranks = team->nranks;
  order.first_rank = seat.first_rank;
  order.gpus = seat.gpus;
  order.unique_id = team->unique_id;
  order.env = roll.plan.env;
  order.small_bytes = roll.plan.small_bytes;
  order.large_bytes = roll.plan.large_bytes;
  order.deadline_ms = static_cast<int>(std::min<std::int64_t>(roll.plan.deadline.count(), 1'000'000'000));
  return {Step::Collective, false, std::move(order)};
}

std::optional<TimePoint> collective_due(const Roll& roll) {
  if (!roll.plan.open) return std::nullopt;
  if (!roll.plan.started_at) return roll.step_from + scaled(roll, kIdDeadline) + kAnswerMargin;
  return *roll.plan.started_at + roll.plan.deadline + kAnswerMargin;
}

std::vector<int> usable_gpus(const Roll& roll, const Pod& pod) {
  std::vector<int> gpus;
  if (!pod.gpu || pod.gpu->stuck) return gpus;
  // A privileged pod may see more than it asked for; the trainer's ranks take the first.
  const auto most = roll.spec.gpus_per_pod > 0
                        ? std::min(static_cast<std::size_t>(roll.spec.gpus_per_pod), kMaxLocalRanks)
                        : kMaxLocalRanks;
  for (const GpuFact& gpu : pod.gpu->gpus) {
    if (gpus.size() < most) gpus.push_back(gpu.index);
  }
  return gpus;
}

Team team_of(const Roll& roll, const std::vector<int>& nodes) {
  Team team;
  for (const int node : nodes) {
    Seat seat{node, usable_gpus(roll, roll.pods[static_cast<std::size_t>(node)]), team.nranks};
    team.nranks += static_cast<int>(seat.gpus.size());
    team.seats.push_back(std::move(seat));
  }
  return team;
}

}  // namespace rollcall::roll_call
