#include "probe/rehearsal.h"

#include <system_error>

#include "probe/steps/facts.h"
#include "probe/steps/master_port.h"
#include "probe/steps/mesh.h"
#include "probe/steps/words.h"
#include "probe/text.h"

namespace rollcall::probe {

using roll_call::Instruction;
using roll_call::Step;

Rehearsal::Work::~Work() {
  cancel.notify();
  if (thread.joinable()) thread.join();
}

Rehearsal::Rehearsal(const Settings& settings, Log& log, const Wake& news)
    : settings_(settings), log_(log), news_(news) {
  read_facts_now();
}

Rehearsal::~Rehearsal() { close_all(); }

void Rehearsal::close_all() {
  facts_work_.reset();
  reach_work_.reset();
  mesh_work_.reset();
  master_server_.reset();
  mesh_server_.reset();
}

std::unique_ptr<Rehearsal::Work> Rehearsal::start(const char* what, std::function<void(const Wake& cancel)> step) {
  auto work = std::make_unique<Work>();
  try {
    work->thread = std::thread([step = std::move(step), &cancel = work->cancel] { step(cancel); });
  } catch (const std::system_error& error) {
    // A pids limit of the pod; the step has no result, the desk's deadline will name this node, this line the cause.
    log_.line(text("cannot start a thread for ", what, ": ", error.what(), "; raise the pod's pids limit"));
    return nullptr;
  }
  return work;
}

void Rehearsal::enter_round(const Instruction& instruction) {
  if (instruction.attempt == attempt_ && results_.round == instruction.round) return;
  if (results_.round) {
    close_all();
    early_facts_.reset();
    log_.line(instruction.attempt != attempt_
                  ? text("attempt ", instruction.attempt, ", round ", roll_call::to_string(instruction.round),
                         ": everything found in attempt ", attempt_, " is void")
                  : text("round ", roll_call::to_string(instruction.round), ": what earlier rounds found is void"));
  }
  const std::lock_guard lock(mutex_);
  attempt_ = instruction.attempt;
  results_ = {};
  results_.round = instruction.round;
  facts_wanted_ = false;
}

void Rehearsal::obey(const Instruction& instruction) {
  enter_round(instruction);
  // Ports stay open until a later step than the one that uses them; Wait may stand between.
  switch (instruction.step) {
    case Step::ListenMesh:
    case Step::ConnectMesh:
      reach_work_.reset();
      master_server_.reset();
      break;
    case Step::SeeAddress:
    case Step::Release:
    case Step::End:
      close_all();
      break;
    case Step::Wait:
    case Step::Facts:
    case Step::ListenMaster:
    case Step::ReachMaster:
      break;
  }
  switch (instruction.step) {
    case Step::Facts: {
      {
        const std::lock_guard lock(mutex_);
        if (results_.facts) return;
        facts_wanted_ = true;
        if (early_facts_) {
          results_.facts = std::move(early_facts_);
          early_facts_.reset();
          news_.notify();
          return;
        }
      }
      if (!facts_work_) read_facts_now();
      return;
    }
    case Step::ListenMaster:
      return listen_master_now(instruction);
    case Step::ReachMaster:
      return reach_master_now(instruction);
    case Step::ListenMesh:
      return listen_mesh_now(instruction);
    case Step::ConnectMesh:
      return connect_mesh_now(instruction);
    case Step::Wait:
    case Step::SeeAddress:
    case Step::Release:
    case Step::End:
      return;
  }
}

void Rehearsal::read_facts_now() {
  facts_work_ = start("reading local facts", [this](const Wake& cancel) {
    auto reading = read_facts(settings_, cancel);
    if (cancel.notified()) return;
    log_.line(facts_line(reading.facts));
    if (!reading.trouble.empty()) log_.line("local facts: " + reading.trouble);
    const std::lock_guard lock(mutex_);
    if (facts_wanted_) {
      results_.facts = std::move(reading.facts);
      news_.notify();
    } else {
      early_facts_ = std::move(reading.facts);
    }
  });
}

void Rehearsal::listen_master_now(const Instruction& instruction) {
  if (results_.master_port) return;
  auto master = listen_master(instruction.master_port, instruction.nonce);
  log_.line(words_for(master.state));
  master_server_ = std::move(master.server);
  {
    const std::lock_guard lock(mutex_);
    results_.master_port = std::move(master.state);
  }
  news_.notify();
}

void Rehearsal::reach_master_now(const Instruction& instruction) {
  if (reach_work_) return;
  reach_work_ = start("reaching MASTER_PORT", [this, instruction](const Wake& cancel) {
    const auto edge = reach_master(instruction.master_addr, instruction.master_port, instruction.nonce,
                                   instruction.node_rank, cancel);
    if (cancel.notified()) return;
    log_.line(words_for_reach(edge, instruction.master_addr));
    {
      const std::lock_guard lock(mutex_);
      results_.reached = edge;
    }
    news_.notify();
  });
}

void Rehearsal::listen_mesh_now(const Instruction& instruction) {
  if (mesh_server_) return;
  roll_call::MeshState state;
  if (auto server = listen_mesh(instruction.nonce, instruction.node_rank)) {
    mesh_server_ = std::move(server).value();
    state.ports = mesh_server_->ports();
  } else {
    log_.line("mesh: " + server.error().message);
    roll_call::Edge edge;
    edge.to = instruction.node_rank;  // to itself: no other edge has that form
    edge.outcome = roll_call::EdgeOutcome::LocalError;
    edge.detail = server.error().message;
    state.failed.push_back(edge);
  }
  {
    const std::lock_guard lock(mutex_);
    results_.mesh = std::move(state);
  }
  news_.notify();
}

void Rehearsal::connect_mesh_now(const Instruction& instruction) {
  if (mesh_work_) return;
  const auto ports = mesh_server_ ? mesh_server_->ports() : std::vector<int>{};
  mesh_work_ = start("the mesh", [this, instruction, ports](const Wake& cancel) {
    const auto keep = [&](roll_call::MeshState state) {
      state.ports = ports;
      const std::lock_guard lock(mutex_);
      results_.mesh = std::move(state);
    };
    auto state = connect_mesh(instruction.peers, instruction.nonce, instruction.node_rank, cancel, keep);
    if (cancel.notified()) return;
    log_.line(words_for(state, instruction.peers));
    keep(std::move(state));
    news_.notify();
  });
}

void Rehearsal::fill(roll_call::Answer& answer) const {
  const std::lock_guard lock(mutex_);
  answer.attempt = attempt_;
  answer.round = results_.round;
  answer.facts = results_.facts;
  answer.master_port = results_.master_port;
  answer.master_port_reached = results_.reached;
  answer.mesh = results_.mesh;
}

}  // namespace rollcall::probe
