#include "probe/rehearsal.h"

#include <system_error>

#include "probe/steps/checks.h"
#include "probe/steps/collective.h"
#include "probe/steps/facts.h"
#include "probe/steps/gpu.h"
#include "probe/steps/job_image.h"
#include "probe/steps/master_port.h"
#include "probe/steps/mesh.h"
#include "probe/steps/nccl.h"
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
    : settings_(settings), log_(log), news_(news), image_(std::make_shared<JobImage>(settings, log)) {
  read_facts_now();
}

Rehearsal::~Rehearsal() { close_all(); }

void Rehearsal::close_all() {
  facts_work_.reset();
  reach_work_.reset();
  mesh_work_.reset();
  end_other_gpu_work(Step::Release);
  master_server_.reset();
  mesh_server_.reset();
}

void Rehearsal::end_other_gpu_work(Step step) {
  if (step == Step::Wait) return;
  if (step != Step::Gpu) gpu_work_.reset();
  if (step != Step::Nccl) nccl_work_.reset();
  if (step != Step::Collective) collective_work_.reset();
  if (step != Step::Checks) checks_work_.reset();
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
  mesh_known_to_.clear();
  collective_.reset();
  image_ = std::make_shared<JobImage>(settings_, log_);
}

void Rehearsal::obey(const Instruction& instruction) {
  enter_round(instruction);
  end_other_gpu_work(instruction.step);
  if (instruction.mesh_known) mesh_known_to_ = instruction.desk_instance;
  if (instruction.desk_instance != mesh_known_to_) mesh_known_to_.clear();
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
    case Step::Gpu:
    case Step::Nccl:
    case Step::Collective:
    case Step::Checks:
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
    case Step::Gpu:
      return ask_gpus_now();
    case Step::Nccl:
      return ask_nccl_now();
    case Step::Collective:
      return run_collective_now(instruction);
    case Step::Checks:
      return run_checks_now();
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

void Rehearsal::ask_gpus_now() {
  if (gpu_work_) return;
  gpu_work_ = start("asking the GPUs", [this, image = image_](const Wake& cancel) {
    auto facts = read_gpus(settings_, *image, cancel);
    if (!facts || cancel.notified()) return;
    log_.line(words_for(*facts));
    {
      const std::lock_guard lock(mutex_);
      results_.gpu = std::move(facts);
    }
    news_.notify();
  });
}

void Rehearsal::ask_nccl_now() {
  if (nccl_work_) return;
  nccl_work_ = start("asking NCCL", [this, image = image_](const Wake& cancel) {
    auto facts = read_nccl(settings_, *image, cancel);
    if (!facts || cancel.notified()) return;
    log_.line(words_for(*facts));
    {
      const std::lock_guard lock(mutex_);
      results_.nccl = std::move(facts);
    }
    news_.notify();
  });
}

void Rehearsal::run_collective_now(const Instruction& instruction) {
  if (!instruction.collective) return;
  const auto& order = *instruction.collective;
  // One that another step ended before its own end begins anew.
  if (collective_ && collective_->id() == order.id && (collective_work_ || collective_->state().done))
    return collective_->tell_id(order.unique_id);
  collective_work_.reset();
  auto run = std::make_shared<CollectiveRun>(order, settings_, *image_, log_, [this] { news_.notify(); });
  {
    const std::lock_guard lock(mutex_);
    collective_ = run;
  }
  collective_work_ =
      start("a collective", [run, image = image_](const Wake& cancel) { run->run(cancel); });  // image_ outlives it so
}

void Rehearsal::run_checks_now() {
  if (checks_work_) return;
  checks_work_ = start("the job's own checks", [this, image = image_](const Wake& cancel) {
    run_checks(settings_, *image, cancel, log_, [this](const roll_call::ChecksState& state) {
      {
        const std::lock_guard lock(mutex_);
        results_.checks = state;
      }
      if (state.done) news_.notify();
    });
  });
}

void Rehearsal::fill(roll_call::Answer& answer) {
  const std::lock_guard lock(mutex_);
  answer.attempt = attempt_;
  answer.round = results_.round;
  answer.facts = results_.facts;
  answer.master_port = results_.master_port;
  answer.master_port_reached = results_.reached;
  if (!(results_.mesh && results_.mesh->done && !mesh_known_to_.empty())) answer.mesh = results_.mesh;
  answer.gpu = results_.gpu;
  if (collective_) answer.collective = collective_->state();
  // In the same answer, since the desk judges both when a collective has ended.
  if (collective_ && results_.nccl) mark_listed(answer.collective->ranks, *results_.nccl);
  answer.nccl = results_.nccl;
  answer.checks = results_.checks;
}

}  // namespace rollcall::probe
