#include <algorithm>
#include <cmath>

#include "roll_call/device_json.h"
#include "roll_call/json_reader.h"
#include "roll_call/limits.h"
#include "roll_call/messages.h"

namespace rollcall::roll_call {
namespace {

using nlohmann::json;
using namespace limits;

// Reading. One function a struct, one line a field.

void read(Reader& r, Edge& edge) {
  r.integer("to", edge.to, 0, kMaxPeers);
  r.word<EdgeOutcome>("outcome", edge.outcome, edge_outcome_from);
  r.integer("port", edge.port, 0, 65535);
  r.integer("tried", edge.tried, 0, kPorts);
  r.integer("failed", edge.failed, 0, kPorts);
  r.number("milliseconds", edge.milliseconds, 0, 1e9);
  r.text("detail", edge.detail, kEdgeDetail);
}

void read(Reader& r, InterfaceFact& interface) {
  r.text("name", interface.name, kShort);
  r.integer("mtu", interface.mtu, 0, kMaxInt);
  r.flag("up", interface.up);
  r.texts("addresses", interface.addresses, kInterfaceAddresses, kAddress);
}

void read(Reader& r, LibraryFact& library) {
  r.text("name", library.name, kShort);
  r.text("path", library.path, kPath);
  r.text("version", library.version, kShort);
  r.text("buildId", library.build_id, kShort);
}

void read(Reader& r, LocalFacts& facts) {
  r.text("hostname", facts.hostname, kName);
  r.text("bootId", facts.boot_id, kUid);
  r.text("kernel", facts.kernel, kShort);
  r.text("architecture", facts.architecture, kShort);
  r.integer("shmBytes", facts.shm_bytes, 0, kMaxBytes);
  r.integer("memoryLimitBytes", facts.memory_limit_bytes, 0, kMaxBytes);
  r.integer("memoryAvailableBytes", facts.memory_available_bytes, 0, kMaxBytes);
  r.integer("nofile", facts.nofile, -1, kMaxBytes);
  r.integer("memlockBytes", facts.memlock_bytes, -1, kMaxBytes);
  r.text("portRange", facts.port_range, kShort);
  r.objects("interfaces", kInterfaces, [&](Reader& each) { read(each, facts.interfaces.emplace_back()); });
  r.objects("libraries", kLibraries, [&](Reader& each) { read(each, facts.libraries.emplace_back()); });
  r.text_map("confFiles", facts.conf_files, kConfFiles, kPath, kShort);
  r.text_map("env", facts.env, kEnv, kEnvName, kEnvValue);
  r.text("gpuResource", facts.gpu_resource, kName);
  r.integer("gpusRequested", facts.gpus_requested, 0, kMaxInt);
  r.integer("gpusVisible", facts.gpus_visible, 0, kMaxInt);
  r.text("gpuDetail", facts.gpu_detail, kDetail);
}

void read(Reader& r, MasterPortState& state) {
  r.integer("port", state.port, 0, 65535);
  r.flag("listening", state.listening);
  r.text("error", state.error, kShort);
  r.text("holder", state.holder, kDetail);
}

void read(Reader& r, PeerTime& time) {
  r.integer("to", time.to, 0, kMaxPeers);
  r.number("milliseconds", time.milliseconds, 0, 1e9);
  r.integer("bytes", time.bytes, 0, kMaxBytes);
  r.integer("retransmits", time.retransmits, 0, kMaxInt);
}

void read(Reader& r, MeshState& mesh) {
  r.integers("ports", mesh.ports, kPorts, 1, 65535);
  r.integer("attempted", mesh.attempted, 0, kMaxPeers);
  r.integer("ok", mesh.ok, 0, kMaxPeers);
  r.objects("failed", kMaxEdges, [&](Reader& each) { read(each, mesh.failed.emplace_back()); });
  r.number("slowestMs", mesh.slowest_ms, 0, 1e9);
  r.objects("times", kMaxPeerTimes, [&](Reader& each) { read(each, mesh.times.emplace_back()); });
  r.flag("done", mesh.done);
}

void read(Reader& r, SeenState& seen) {
  r.integer("attempt", seen.attempt, 0, kMaxInt);
  r.text("masterAddr", seen.master_addr, kAddress);
}

template <typename T>
void read_optional(Reader& r, const char* key, std::optional<T>& out) {
  r.object(key, [&](Reader& inner) { read(inner, out.emplace()); });
}

// Writing. Texts and lists are cut to the limits, so that a probe in an odd image is never refused for what it found
// there.

double finite(double value) { return std::isfinite(value) ? std::clamp(value, 0.0, 1e9) : 0.0; }

json write(const Edge& edge) {
  return {{"to", edge.to},
          {"outcome", to_string(edge.outcome)},
          {"port", edge.port},
          {"tried", edge.tried},
          {"failed", edge.failed},
          {"milliseconds", finite(edge.milliseconds)},
          {"detail", clipped(edge.detail, kEdgeDetail)}};
}

template <typename T, typename Each>
json write_list(const std::vector<T>& list, std::size_t max, const Each& each) {
  json out = json::array();
  for (std::size_t i = 0; i < std::min(list.size(), max); ++i) out.push_back(each(list[i]));
  return out;
}

json write_map(const std::map<std::string, std::string>& map, std::size_t max, std::size_t max_key,
               std::size_t max_value) {
  json out = json::object();
  for (const auto& [key, value] : map) {
    if (out.size() == max) break;
    out[clipped(key, max_key)] = clipped(value, max_value);
  }
  return out;
}

json write(const InterfaceFact& interface) {
  return {{"name", clipped(interface.name, kShort)},
          {"mtu", interface.mtu},
          {"up", interface.up},
          {"addresses", write_list(interface.addresses, kInterfaceAddresses,
                                   [](const std::string& address) { return clipped(address, kAddress); })}};
}

json write(const LibraryFact& library) {
  return {{"name", clipped(library.name, kShort)},
          {"path", clipped(library.path, kPath)},
          {"version", clipped(library.version, kShort)},
          {"buildId", clipped(library.build_id, kShort)}};
}

json write(const LocalFacts& facts) {
  return {
      {"hostname", clipped(facts.hostname, kName)},
      {"bootId", clipped(facts.boot_id, kUid)},
      {"kernel", clipped(facts.kernel, kShort)},
      {"architecture", clipped(facts.architecture, kShort)},
      {"shmBytes", std::clamp<std::int64_t>(facts.shm_bytes, 0, kMaxBytes)},
      {"memoryLimitBytes", std::clamp<std::int64_t>(facts.memory_limit_bytes, 0, kMaxBytes)},
      {"memoryAvailableBytes", std::clamp<std::int64_t>(facts.memory_available_bytes, 0, kMaxBytes)},
      {"nofile", std::clamp<std::int64_t>(facts.nofile, -1, kMaxBytes)},
      {"memlockBytes", std::clamp<std::int64_t>(facts.memlock_bytes, -1, kMaxBytes)},
      {"portRange", clipped(facts.port_range, kShort)},
      {"interfaces", write_list(facts.interfaces, kInterfaces, [](const InterfaceFact& each) { return write(each); })},
      {"libraries", write_list(facts.libraries, kLibraries, [](const LibraryFact& each) { return write(each); })},
      {"confFiles", write_map(facts.conf_files, kConfFiles, kPath, kShort)},
      {"env", write_map(facts.env, kEnv, kEnvName, kEnvValue)},
      {"gpuResource", clipped(facts.gpu_resource, kName)},
      {"gpusRequested", facts.gpus_requested},
      {"gpusVisible", facts.gpus_visible},
      {"gpuDetail", clipped(facts.gpu_detail, kDetail)}};
}

json write(const MasterPortState& state) {
  return {{"port", state.port},
          {"listening", state.listening},
          {"error", clipped(state.error, kShort)},
          {"holder", clipped(state.holder, kDetail)}};
}

json write(const PeerTime& time) {
  return {{"to", time.to},
          {"milliseconds", finite(time.milliseconds)},
          {"bytes", std::clamp<std::int64_t>(time.bytes, 0, kMaxBytes)},
          {"retransmits", std::clamp<std::int64_t>(time.retransmits, 0, kMaxInt)}};
}

json write(const MeshState& mesh) {
  return {{"ports", write_list(mesh.ports, kPorts, [](int port) { return port; })},
          {"attempted", mesh.attempted},
          {"ok", mesh.ok},
          {"failed", write_list(mesh.failed, kMaxEdges, [](const Edge& edge) { return write(edge); })},
          {"slowestMs", finite(mesh.slowest_ms)},
          {"times", write_list(mesh.times, kMaxPeerTimes, [](const PeerTime& time) { return write(time); })},
          {"done", mesh.done}};
}

json write(const SeenState& seen) {
  return {{"attempt", seen.attempt}, {"masterAddr", clipped(seen.master_addr, kAddress)}};
}

}  // namespace

Result<Answer> answer_from(std::string_view text) {
  auto parsed = parse_bounded(text, kMaxAnswerBytes, kDepth);
  if (!parsed) return parsed.error();
  std::optional<Error> fault;
  Answer answer;
  Reader r(*parsed, "", fault);
  r.text("podUid", answer.pod_uid, kUid);
  r.text("bootNonce", answer.boot_nonce, kNonce);
  r.integer("sequence", answer.sequence, 0, INT64_MAX);
  r.integer("attempt", answer.attempt, 0, kMaxInt);
  if (r.has("round")) r.word<RoundId>("round", answer.round.emplace(), round_from);
  read_optional(r, "facts", answer.facts);
  read_optional(r, "masterPort", answer.master_port);
  read_optional(r, "masterPortReached", answer.master_port_reached);
  read_optional(r, "mesh", answer.mesh);
  read_optional(r, "seen", answer.seen);
  read_optional(r, "gpu", answer.gpu);
  read_optional(r, "nccl", answer.nccl);
  read_optional(r, "collective", answer.collective);
  read_optional(r, "checks", answer.checks);
  if (!fault && answer.pod_uid.empty()) r.fail("podUid", "missing");
  if (!fault && answer.boot_nonce.empty()) r.fail("bootNonce", "missing");
  if (fault) return *fault;
  return answer;
}

std::string to_json(const Answer& answer) {
  json out = {{"podUid", clipped(answer.pod_uid, kUid)},
              {"bootNonce", clipped(answer.boot_nonce, kNonce)},
              {"sequence", answer.sequence},
              {"attempt", answer.attempt}};
  if (answer.round) out["round"] = to_string(*answer.round);
  if (answer.facts) out["facts"] = write(*answer.facts);
  if (answer.master_port) out["masterPort"] = write(*answer.master_port);
  if (answer.master_port_reached) out["masterPortReached"] = write(*answer.master_port_reached);
  if (answer.mesh) out["mesh"] = write(*answer.mesh);
  if (answer.seen) out["seen"] = write(*answer.seen);
  if (answer.gpu) out["gpu"] = write(*answer.gpu);
  if (answer.nccl) out["nccl"] = write(*answer.nccl);
  if (answer.collective) out["collective"] = write(*answer.collective);
  if (answer.checks) out["checks"] = write(*answer.checks);
  return out.dump();
}

}  // namespace rollcall::roll_call
