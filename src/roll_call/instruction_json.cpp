#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "roll_call/device_json.h"
#include "roll_call/json_reader.h"
#include "roll_call/limits.h"
#include "roll_call/messages.h"

namespace rollcall::roll_call {
namespace {

using nlohmann::json;
using namespace limits;

auto order_of(const Instruction& i) {
  return std::tie(i.attempt, i.node_rank, i.nnodes, i.round, i.step, i.stage, i.master_addr, i.master_port, i.nonce);
}

bool same_peer(const Peer& a, const Peer& b) {
  return std::tie(a.node_rank, a.address, a.ports) == std::tie(b.node_rank, b.address, b.ports);
}

void read(Reader& r, Peer& peer) {
  r.integer("nodeRank", peer.node_rank, 0, kMaxPeers);
  r.text("address", peer.address, kAddress);
  r.integers("ports", peer.ports, kPorts, 1, 65535);
}

/// A mesh of 512 nodes is 262,000 peers in all; as text they are written several times faster than by way of a tree.
std::string peers_text(const std::vector<Peer>& peers) {
  std::string out = "[";
  for (std::size_t i = 0; i < std::min(peers.size(), kMaxPeers); ++i) {
    const Peer& peer = peers[i];
    // dump() quotes and escapes whatever the address holds.
    fmt::format_to(
        std::back_inserter(out), "{}{{\"nodeRank\":{},\"address\":{},\"ports\":[{}]}}", i == 0 ? "" : ",",
        peer.node_rank, json(clipped(peer.address, kAddress)).dump(),
        fmt::join(peer.ports.begin(),
                  peer.ports.begin() + static_cast<std::ptrdiff_t>(std::min(peer.ports.size(), kPorts)), ","));
  }
  return out + "]";
}

}  // namespace

bool same_order(const Instruction& a, const Instruction& b) {
  return order_of(a) == order_of(b) && a.collective == b.collective &&
         std::equal(a.peers.begin(), a.peers.end(), b.peers.begin(), b.peers.end(), same_peer);
}

Result<Instruction> instruction_from(std::string_view text) {
  auto parsed = parse_bounded(text, kMaxInstructionBytes, kDepth);
  if (!parsed) return parsed.error();
  std::optional<Error> fault;
  Instruction instruction;
  Reader r(*parsed, "", fault);
  r.integer("attempt", instruction.attempt, 0, kMaxInt);
  r.integer("nodeRank", instruction.node_rank, 0, kMaxPeers);
  r.integer("nnodes", instruction.nnodes, 0, kMaxPeers);
  r.word<RoundId>("round", instruction.round, round_from);
  // A step that this version doesn't know must not be taken for Wait: the desk would wait for a result for ever.
  if (!r.has("step")) r.fail("step", "missing");
  r.word<Step>("step", instruction.step, step_from);
  r.text("stage", instruction.stage, kShort);
  r.text("masterAddr", instruction.master_addr, kAddress);
  r.integer("masterPort", instruction.master_port, 0, 65535);
  r.text("nonce", instruction.nonce, kNonce);
  r.objects("peers", kMaxPeers, [&](Reader& each) { read(each, instruction.peers.emplace_back()); });
  r.object("collective", [&](Reader& inner) { read(inner, instruction.collective.emplace()); });
  r.text("deskInstance", instruction.desk_instance, kNonce);
  r.flag("meshKnown", instruction.mesh_known);
  r.integer("askAgainMs", instruction.ask_again_ms, 0, 600'000);
  r.text("message", instruction.message, kMessage);
  if (fault) return *fault;
  return instruction;
}

std::string to_json(const Instruction& instruction) {
  json out = {{"attempt", instruction.attempt},
              {"nodeRank", instruction.node_rank},
              {"nnodes", instruction.nnodes},
              {"round", to_string(instruction.round)},
              {"step", to_string(instruction.step)},
              {"stage", clipped(instruction.stage, kShort)},
              {"masterAddr", clipped(instruction.master_addr, kAddress)},
              {"masterPort", instruction.master_port},
              {"nonce", clipped(instruction.nonce, kNonce)},
              {"askAgainMs", std::clamp(instruction.ask_again_ms, 0, 600'000)},
              {"message", clipped(instruction.message, kMessage)}};
  if (instruction.collective) out["collective"] = write(*instruction.collective);
  if (!instruction.desk_instance.empty()) out["deskInstance"] = clipped(instruction.desk_instance, kNonce);
  if (instruction.mesh_known) out["meshKnown"] = true;
  std::string text = out.dump();
  if (!instruction.peers.empty()) text.insert(text.size() - 1, ",\"peers\":" + peers_text(instruction.peers));
  return text;
}

}  // namespace rollcall::roll_call
