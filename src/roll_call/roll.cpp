#include "roll_call/roll.h"

#include <algorithm>

namespace rollcall::roll_call {

const char* name_of(Stage stage) {
  switch (stage) {
    case Stage::Gathering:
      return "Gathering";
    case Stage::LocalFacts:
      return "LocalFacts";
    case Stage::Comparison:
      return "Comparison";
    case Stage::Gpu:
      return "Gpu";
    case Stage::Nccl:
      return "Nccl";
    case Stage::NodeCollective:
      return "NodeCollective";
    case Stage::JobCollective:
      return "JobCollective";
    case Stage::Localisation:
      return "Localisation";
    case Stage::Transport:
      return "Transport";
    case Stage::Checks:
      return "Checks";
    case Stage::MasterPort:
      return "MasterPort";
    case Stage::Mesh:
      return "Mesh";
    case Stage::AddressSeen:
      return "AddressSeen";
  }
  return "Gathering";
}

void Pod::void_results() {
  facts.reset();
  master_port.reset();
  reached.reset();
  mesh.reset();
  gpu.reset();
  nccl.reset();
  collective.reset();
  checks.reset();
  node_ranks.clear();
  job_ranks.clear();
}

Pod* Roll::find(const std::string& uid) {
  const auto found = index_of_uid.find(uid);
  return found == index_of_uid.end() ? nullptr : &pods[found->second];
}

const Pod* Roll::find(const std::string& uid) const {
  const auto found = index_of_uid.find(uid);
  return found == index_of_uid.end() ? nullptr : &pods[found->second];
}

bool all_started(const Roll& roll) {
  if (roll.last_start) return true;
  // From the end: pods start and answer in about their order, so that the last one is missing longest.
  return std::all_of(roll.pods.rbegin(), roll.pods.rend(), [](const Pod& pod) { return pod.started_at.has_value(); });
}

TimePoint last_started(const Roll& roll) {
  if (roll.last_start) return *roll.last_start;
  TimePoint last{};
  for (const Pod& pod : roll.pods) last = std::max(last, pod.started_at.value_or(last));
  return last;
}

std::chrono::milliseconds held_for(const Roll& roll, TimePoint now) {
  if (!roll.held_since) return roll.held_before;
  return roll.held_before + std::max(std::chrono::milliseconds{0}, now - *roll.held_since);
}

std::optional<TimePoint> wait_ends_at(const Roll& roll) {
  std::optional<TimePoint> first;
  for (const Pod& pod : roll.pods) {
    if (!pod.view || !pod.view->scheduled_at) continue;
    first = first ? std::min(*first, *pod.view->scheduled_at) : *pod.view->scheduled_at;
  }
  if (!first) return std::nullopt;
  return *first + std::chrono::seconds{roll.spec.settings.wait_for_pods_seconds};
}

std::optional<TimePoint> round_ends_at(const Roll& roll) {
  if (!all_started(roll)) return std::nullopt;
  return std::max(roll.clock_from, last_started(roll)) + std::chrono::seconds{roll.spec.settings.timeout_seconds};
}

bool all_seen(const Roll& roll) {
  return !roll.master_addr.empty() && std::all_of(roll.pods.begin(), roll.pods.end(), [](const Pod& pod) {
    return pod.heard() && pod.seen && !pod.gone();
  });
}

bool any_failure(const Roll& roll) {
  return std::any_of(roll.findings.begin(), roll.findings.end(),
                     [](const StageFinding& each) { return each.finding.severity == "fail"; });
}

}  // namespace rollcall::roll_call
