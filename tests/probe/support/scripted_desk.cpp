#include "probe/support/scripted_desk.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "api/names.h"

namespace rollcall::probe::testing {

using roll_call::Answer;
using roll_call::Instruction;
using roll_call::Step;

namespace {

namespace names = api::names;

struct Phase {
  Step step;
  bool (*done)(const Answer&, int node_rank);
};

/// What each phase waits for, from every node rank.
const std::vector<Phase> kPhases = {
    {Step::Facts, [](const Answer& a, int) { return a.facts.has_value(); }},
    {Step::ListenMaster, [](const Answer& a, int rank) { return rank != 0 || a.master_port.has_value(); }},
    {Step::ReachMaster, [](const Answer& a, int rank) { return rank == 0 || a.master_port_reached.has_value(); }},
    {Step::ListenMesh, [](const Answer& a, int) { return a.mesh && !a.mesh->ports.empty(); }},
    {Step::ConnectMesh, [](const Answer& a, int) { return a.mesh && a.mesh->done; }},
    {Step::SeeAddress, [](const Answer& a, int) { return a.seen && a.seen->master_addr == "127.0.0.1"; }},
    {Step::Release, [](const Answer&, int) { return false; }},
};

bool concerns(Step step, int node_rank) {
  if (step == Step::ListenMaster) return node_rank == 0;
  if (step == Step::ReachMaster) return node_rank != 0;
  return true;
}

}  // namespace

ScriptedDesk::ScriptedDesk(int nodes, int master_port)
    : nodes_(nodes), master_port_(master_port), authority_(make_authority("rollcall test authority")) {
  server_ = TlsServer::start(make_server(authority_, kDeskName),
                             [this](const HttpRequest& request) { return reply(request); });
}

ScriptedDesk::~ScriptedDesk() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
}

std::map<std::string, std::string> ScriptedDesk::environment(int node_rank) const {
  return {{names::kEnvDeskAddress, "127.0.0.1:" + std::to_string(port())},
          {names::kEnvDeskName, kDeskName},
          {names::kEnvDeskCa, authority()},
          {names::kEnvJob, "tj/default/llama-ft"},
          {names::kEnvAttempt, "1"},
          {names::kEnvNodeRank, std::to_string(node_rank)},
          {names::kEnvNnodes, std::to_string(nodes_)},
          {names::kEnvGiveUpSeconds, "60"},
          {names::kEnvPodUid, "uid-" + std::to_string(node_rank)},
          {names::kEnvPodName, "llama-ft-" + std::to_string(node_rank) + "-1"}};
}

bool ScriptedDesk::all(bool (*done)(const Answer&, int node_rank)) {
  for (int rank = 0; rank < nodes_; ++rank) {
    const auto at = answers_.find(rank);
    if (at == answers_.end() || at->second.round != round_ || !done(at->second, rank)) return false;
  }
  return true;
}

void ScriptedDesk::advance() {
  if (answers_.size() < static_cast<std::size_t>(nodes_)) return;
  while (kPhases[phase_].step != last_step_ && all(kPhases[phase_].done)) ++phase_;
}

Instruction ScriptedDesk::instruction_for(int node_rank) {
  Instruction i = told_.value_or(Instruction{});
  i.attempt = attempt_;
  i.node_rank = node_rank;
  i.nnodes = nodes_;
  i.round = round_;
  i.ask_again_ms = 20;
  if (told_) return i;

  i.nonce = "nonce of round " + roll_call::to_string(round_);
  i.master_addr = "127.0.0.1";
  i.master_port = master_port_;
  const auto& phase = kPhases[phase_];
  const auto at = answers_.find(node_rank);
  const bool gathered = answers_.size() == static_cast<std::size_t>(nodes_);
  const bool done = at != answers_.end() && at->second.round == round_ && phase.done(at->second, node_rank);
  i.step = !gathered || done || !concerns(phase.step, node_rank) ? Step::Wait : phase.step;
  i.stage = gathered ? std::string(roll_call::to_string(phase.step)) : "Gathering";
  if (i.step == Step::Wait) i.message = "waiting for the other node ranks";
  if (i.step == Step::ConnectMesh) {
    for (int peer = 0; peer < nodes_; ++peer) {
      if (peer != node_rank) i.peers.push_back({peer, "127.0.0.1", answers_[peer].mesh->ports});
    }
  }
  return i;
}

std::string ScriptedDesk::reply(const HttpRequest& request) {
  auto answer = roll_call::answer_from(request.body);
  if (!answer) return http_reply(400, answer.error().message);
  const int rank = std::stoi(answer->pod_uid.substr(4));
  if (request.token() != "token-of-" + answer->pod_uid) return http_reply(401, "not that pod's token");

  std::unique_lock lock(mutex_);
  ++exchanges_;
  answers_[rank] = std::move(*answer);
  advance();
  changed_.notify_all();
  auto instruction = instruction_for(rank);
  // A held reply: until there is something else to say.
  changed_.wait_for(lock, std::chrono::seconds(20), [&] {
    if (stopping_ || mute_) return true;
    instruction = instruction_for(rank);
    return instruction.step != Step::Wait;
  });
  return stopping_ || mute_ ? "" : http_reply(200, roll_call::to_json(instruction));
}

void ScriptedDesk::tell(Instruction instruction) {
  const std::lock_guard lock(mutex_);
  told_ = std::move(instruction);
  changed_.notify_all();
}

void ScriptedDesk::new_round() {
  const std::lock_guard lock(mutex_);
  ++round_.n;
  phase_ = 0;
  told_.reset();
  changed_.notify_all();
}

void ScriptedDesk::set_attempt(int attempt) {
  const std::lock_guard lock(mutex_);
  attempt_ = attempt;
  phase_ = 0;
  changed_.notify_all();
}

void ScriptedDesk::go_mute() {
  const std::lock_guard lock(mutex_);
  mute_ = true;
  changed_.notify_all();
}

void ScriptedDesk::stop_at(Step step) {
  const std::lock_guard lock(mutex_);
  last_step_ = step;
  changed_.notify_all();
}

int ScriptedDesk::exchanges() const {
  const std::lock_guard lock(mutex_);
  return exchanges_;
}

std::string annotations_file(int attempt, const std::string& address, int released) {
  std::ostringstream file;
  file << "kubernetes.io/config.source=\"api\"\n";
  file << names::kAnnotationAttempt << "=\"" << attempt << "\"\n";
  file << names::kAnnotationMasterAddr << "=\"" << address << "\"\n";
  if (released > 0) file << names::kAnnotationReleased << "=\"" << released << "\"\n";
  file << "team.example/notes=\"says \\\"hello\\\"\\n" << names::kAnnotationMasterAddr << "=10.9.9.9\"";
  return file.str();
}

std::string probe_program() { return ROLLCALL_BIN_DIR "/rollcall-probe"; }

namespace {
std::map<std::string, std::string> with(std::map<std::string, std::string> environment,
                                        const std::map<std::string, std::string>& more) {
  for (const auto& [name, value] : more) environment[name] = value;
  return environment;
}
}  // namespace

RunningProbe::RunningProbe(const ScriptedDesk& desk, int node_rank, const std::map<std::string, std::string>& more,
                           const std::vector<std::string>& arguments)
    : RunningProbe(with(desk.environment(node_rank), more), node_rank, arguments) {}

RunningProbe::RunningProbe(const std::map<std::string, std::string>& environment, int node_rank,
                           const std::vector<std::string>& arguments) {
  const auto token = files.write("token", "token-of-uid-" + std::to_string(node_rank) + "\n");
  std::vector<std::string> command{probe_program(), "answer", "--token-file=" + token,
                                   "--annotations-file=" + files.path() + "/annotations",
                                   "--termination-log=" + files.path() + "/termination-log"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  process = std::make_unique<Process>(command, environment);
}

std::string RunningProbe::termination_message() const {
  std::ostringstream content;
  content << std::ifstream(files.path() + "/termination-log").rdbuf();
  return content.str();
}

}  // namespace rollcall::probe::testing
