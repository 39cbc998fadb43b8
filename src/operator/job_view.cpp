#include "operator/job_view.h"

#include <algorithm>

#include "operator/node_ranks.h"

namespace rollcall::operator_ {
namespace {

bool owned_by(const api::ObjectMeta& meta, const std::string& uid) {
  return std::any_of(meta.owners.begin(), meta.owners.end(),
                     [&](const auto& owner) { return owner.controller && owner.uid == uid; });
}

void sort_roll_calls(const Observed& observed, JobView& view) {
  const auto& job = observed.job.meta;
  for (const auto& roll_call : observed.roll_calls) {
    const bool named = roll_call.meta.name == api::roll_call_name(job.name, roll_call.spec.attempt);
    if (owned_by(roll_call.meta, job.uid) && named) {
      view.own_roll_calls.push_back(&roll_call);
      if (roll_call.spec.attempt == view.attempt) view.roll_call = &roll_call;
    } else if (roll_call.meta.name == api::roll_call_name(job.name, view.attempt)) {
      view.foreign_roll_call = &roll_call;
    }
  }
  std::sort(view.own_roll_calls.begin(), view.own_roll_calls.end(),
            [](const auto* a, const auto* b) { return a->spec.attempt < b->spec.attempt; });
}

bool in_roster(const api::RollCall& roll_call, const PodFacts& pod) {
  return std::any_of(roll_call.spec.roster.begin(), roll_call.spec.roster.end(),
                     [&](const auto& entry) { return entry.uid == pod.uid; });
}

}  // namespace

JobView view_of(const Observed& observed) {
  JobView view;
  const auto& job = observed.job;
  view.attempt = std::max(1, job.status.attempt);
  sort_roll_calls(observed, view);
  if (view.roll_call != nullptr) view.succeeded = node_ranks_from(job.status.succeeded);
  view.nnodes = view.roll_call != nullptr ? static_cast<int>(view.roll_call->spec.roster.size()) : job.spec.nnodes;

  for (const auto& pod : observed.pods) {
    const bool ours = !job.meta.uid.empty() && pod.owner_uid == job.meta.uid;
    const bool placed = pod.attempt == view.attempt && pod.node_rank >= 0 && pod.node_rank < view.nnodes &&
                        pod.name == launch::pod_name(job.meta.name, pod.node_rank, pod.attempt);
    // Whoever may create pods can make one of our name that this job owns. Only one that can answer is called; it is in
    // the hands of the namespace's tenants like every pod of the job.
    const bool meant = view.roll_call == nullptr ? pod.has_probe : in_roster(*view.roll_call, pod);
    if (ours && placed && meant) {
      view.pods[pod.node_rank] = &pod;
    } else if (ours) {
      view.others.push_back(&pod);
    } else {
      for (int rank = 0; rank < view.nnodes; ++rank) {
        if (pod.name == launch::pod_name(job.meta.name, rank, view.attempt)) view.foreign.push_back(&pod);
      }
    }
  }
  return view;
}

std::string place_words(int node_rank, int nproc_per_node, const std::string& node) {
  auto words = "node rank " + std::to_string(node_rank);
  const auto ranks = api::ranks_of(node_rank, nproc_per_node);
  words += (nproc_per_node > 1 ? " (ranks " : " (rank ") + ranks + ")";
  return node.empty() ? words : words + " on " + node;
}

std::string with_stop(std::string words) {
  if (!words.empty() && words.back() != '.' && words.back() != '!' && words.back() != '?') words += '.';
  return words;
}

}  // namespace rollcall::operator_
