#include "roll_call/hear.h"

#include <algorithm>
#include <tuple>

#include "roll_call/json_reader.h"
#include "roll_call/limits.h"
#include "roll_call/rounds.h"

namespace rollcall::roll_call {
namespace {

/// Nonces of a pod's former probes that are remembered, so that a late answer of theirs is not taken for another
/// restart.
constexpr std::size_t kFormerNonces = 8;
/// Words of a person or a kubelet that are repeated in messages.
constexpr std::size_t kWords = 512;

/// All that it has said, the address among it.
void take_back(Pod& pod) {
  pod.seen = false;
  pod.void_results();
}

/// The probe of `pod` is another process than before.
void started_anew(Roll& roll, Pod& pod, const std::string& nonce) {
  pod.former_nonces.push_back(pod.nonce);
  if (pod.former_nonces.size() > kFormerNonces) pod.former_nonces.erase(pod.former_nonces.begin());
  pod.nonce = nonce;
  ++pod.restarts;
  take_back(pod);
  // Also while Released is being written: when it comes back stored, this process has seen no address.
  if (roll.verdict_asked || (roll.verdict && roll.verdict->kind == api::VerdictKind::Released)) pod.started_anew = true;
  roll.restart_wanted = true;
  roll.status_changed = true;
}

/// Pods change more often (conditions, heartbeats) than what is shown of them.
bool same_to_a_reader(const PodView& a, const PodView& b) {
  return std::tie(a.name, a.node, a.address, a.gone, a.probe_running, a.waiting, a.state, a.scheduled_at) ==
         std::tie(b.name, b.node, b.address, b.gone, b.probe_running, b.waiting, b.state, b.scheduled_at);
}

/// Keeps what is there: an answer is whole each time, but a probe that leaves a result out later does not take it back.
template <typename T>
void take(std::optional<T>& known, const std::optional<T>& said, Roll& roll) {
  if (!said) return;
  if (!known) roll.status_changed = true;
  known = said;
}

}  // namespace

void take_answer(Roll& roll, const Answer& answer, TimePoint now) {
  Pod* pod = roll.find(answer.pod_uid);
  if (pod == nullptr || answer.boot_nonce.empty()) return;
  if (std::count(pod->former_nonces.begin(), pod->former_nonces.end(), answer.boot_nonce) > 0) return;
  if (!pod->heard()) {
    pod->nonce = answer.boot_nonce;
    ++roll.heard;
    roll.status_changed = true;
  } else if (pod->nonce != answer.boot_nonce) {
    started_anew(roll, *pod, answer.boot_nonce);
  } else if (answer.sequence < pod->sequence) {
    return;  // overtaken by a later one, which is whole
  }
  pod->sequence = answer.sequence;
  pod->heard_at = now;
  pod->silent = false;
  if (!pod->started_at) pod->started_at = now;

  // A probe that obeys another attempt, or none yet, has nothing to say about this one.
  if (answer.attempt != roll.spec.attempt) return;
  if (answer.seen && !roll.master_addr.empty()) {
    const bool seen = answer.seen->attempt == roll.spec.attempt && answer.seen->master_addr == roll.master_addr;
    if (seen != pod->seen) roll.status_changed = true;
    pod->seen = seen;
  }
  if (answer.round != roll.round) return;
  // Said again in each answer: comparing is cheaper.
  if (answer.facts && !(pod->facts && FactPools::same(*pod->facts, *answer.facts))) {
    if (!pod->facts) roll.status_changed = true;
    pod->facts = roll.fact_pools.keep(*answer.facts);
  }
  take(pod->master_port, answer.master_port, roll);
  take(pod->reached, answer.master_port_reached, roll);
  const bool was_done = pod->mesh && pod->mesh->done;
  take(pod->mesh, answer.mesh, roll);
  if (pod->mesh && pod->mesh->done != was_done) roll.status_changed = true;
  take(pod->gpu, answer.gpu, roll);
  take(pod->nccl, answer.nccl, roll);
  // Said again in each answer; once it is judged, or whole, there is nothing new in it.
  if (answer.collective && answer.collective->id == roll.collective_id && roll.plan.open &&
      !(pod->collective && pod->collective->done)) {
    pod->collective = answer.collective;
    if (pod->collective->done) roll.status_changed = true;
  }
  take(pod->checks, answer.checks, roll);
  // Stays when the results of the round go: what was found in it is told of longer.
  roll.simulated = roll.simulated || (answer.gpu && answer.gpu->simulated) || (answer.nccl && answer.nccl->simulated) ||
                   (answer.collective && answer.collective->simulated);
}

void take_pod(Roll& roll, const PodView& view, TimePoint now) {
  Pod* pod = roll.find(view.uid);
  // After the verdict the RollCall is a record: how the pods end later is the operator's to tell.
  if (pod == nullptr || roll.verdict) return;
  const std::string former = pod->address();
  const bool was_gone = pod->gone();
  const std::optional<PodView> former_view = pod->view;
  pod->view = view;
  pod->view->waiting = clipped(view.waiting, kWords);
  // A pod that ends may lose its address in the API before it is gone; that is no change of address.
  if (view.address.empty()) pod->view->address = former;
  if (view.probe_running && !pod->started_at) pod->started_at = std::min(now, view.probe_started_at.value_or(now));
  if (pod->node_rank == 0) {
    if (!roll.first_address.empty() && !view.address.empty() && view.address != roll.first_address)
      roll.changed_address = view.address;
  } else if (!former.empty() && !view.address.empty() && view.address != former) {
    take_back(*pod);
    roll.restart_wanted = true;
  }
  if (was_gone != pod->gone()) roll.orders_changed = true;
  if (!former_view || !same_to_a_reader(*former_view, *pod->view)) roll.status_changed = true;
}

void take_override(Roll& roll, const std::string& reason, TimePoint now) {
  std::string words = clipped(reason, kWords);
  if (roll.verdict || roll.override_reason == words)
    return;  // the annotation is read again with every change of the RollCall
  roll.override_reason = std::move(words);
  roll.status_changed = roll.orders_changed = true;
  if (roll.phase == Phase::Held && !roll.verdict_asked) begin_round(roll, now, true);
}

void take_mode(Roll& roll, api::RollCallMode mode, TimePoint now) {
  if (roll.verdict || mode == roll.mode) return;
  const bool stages_were_skipped =
      (roll.mode == api::RollCallMode::Off || roll.observed_before) && !roll.override_reason;
  roll.mode = mode;
  // To run them again against a broken network would keep the job waiting for half a minute.
  roll.observed_before = mode == api::RollCallMode::Observe && roll.holds > 0 && !roll.held_for_missing;
  roll.status_changed = roll.orders_changed = true;
  if (roll.verdict_asked) return;
  if (roll.phase == Phase::Held && mode != api::RollCallMode::Enforce) {
    begin_round(roll, now, true);
  } else if (roll.observed_before) {
    if (roll.findings.empty()) roll.findings = roll.former_findings;
  } else if (stages_were_skipped && roll.phase == Phase::Round && roll.at > 0) {
    begin_round(roll, now, false);  // what was left out must be run now
  }
}

}  // namespace rollcall::roll_call
