#include "roll_call/orders.h"

#include <algorithm>

#include "roll_call/schedule.h"
#include "roll_call/stages/stage.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

/// How soon a probe asks again, so that n probes make about 1,000 requests a second at most (a list of peers is larger,
/// so four times rarer). Wait is told at once only where the order became that; asked for again it is held until there
/// is something to do, so a pause here would only make that late: in a job of three nodes twice half a second.
int ask_again(Step step, int nnodes) {
  switch (step) {
    case Step::Wait:
      return std::max(20, nnodes);
    case Step::ConnectMesh:
      return std::max(500, 4 * nnodes);
    default:
      return std::max(250, nnodes);
  }
}

std::vector<Peer> peers_for(const Roll& roll, const Pod& pod) {
  std::vector<Peer> peers;
  for (const int rank : peers_of(pod.node_rank, roll.nnodes())) {
    const Pod& peer = roll.pods[static_cast<std::size_t>(rank)];
    if (!peer.mesh || peer.mesh->ports.empty()) continue;  // silent: named by its own finding
    peers.push_back({rank, peer.address(), peer.mesh->ports});
  }
  return peers;
}

stages::Order running_order(const Roll& roll, const Pod& pod) {
  if (roll.verdict_asked) return {};
  if (roll.phase == Phase::Round) {
    return roll.at < kStages ? stages::definition(static_cast<Stage>(roll.at)).order(roll, pod) : stages::Order{};
  }
  // Held for the address alone, or released by a person: what is still missing is looked for meanwhile.
  const bool wants_address = roll.skips_stages() || roll.run_of(Stage::AddressSeen).state == StageState::Failed;
  return {wants_address && !pod.seen && !roll.master_addr.empty() ? Step::SeeAddress : Step::Wait};
}

}  // namespace

std::string nonce_of(const Roll& roll) { return roll.seed.substr(0, 32) + "." + to_string(roll.round); }

Instruction order_for(const Roll& roll, const Pod& pod) {
  Instruction out;
  out.attempt = roll.spec.attempt;
  out.node_rank = pod.node_rank;
  out.nnodes = roll.nnodes();
  out.round = roll.round;
  out.master_addr = roll.master_addr;
  out.master_port = roll.spec.master_port;
  out.nonce = nonce_of(roll);
  out.message = roll.message;
  // The seed is new for every desk and is told in nonces anyway.
  out.desk_instance = roll.seed.substr(0, 32);
  out.mesh_known = pod.mesh && pod.mesh->done;
  if (roll.verdict) {
    const bool released = roll.verdict->kind == api::VerdictKind::Released;
    out.stage = released ? "Released" : "Ended";
    // A probe that started anew after the release stands alone: the operator ends the attempt.
    out.step = !released ? Step::End : pod.started_anew ? Step::Wait : Step::Release;
  } else {
    const auto order = running_order(roll, pod);
    out.step = order.step;
    out.stage = roll.phase == Phase::Held ? "Held" : name_of(static_cast<Stage>(std::min(roll.at, kStages - 1)));
    if (order.with_peers) out.peers = peers_for(roll, pod);
    out.collective = order.collective;
  }
  out.ask_again_ms = ask_again(out.step, roll.nnodes());
  return out;
}

}  // namespace rollcall::roll_call
