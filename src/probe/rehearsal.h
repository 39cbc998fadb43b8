#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "probe/exchange/server.h"
#include "probe/log.h"
#include "probe/net/wake.h"
#include "probe/settings.h"
#include "roll_call/messages.h"

namespace rollcall::probe {

class CollectiveRun;
class JobImage;

/// Does the desk's steps and keeps their results. What may take time runs on a thread of its own, so that obey() and
/// fill() return at once and the probe goes on answering; `news` is notified when a step has its result. A result
/// belongs to the round that asked for it: a new round or attempt ends what runs and voids what was found. Used by one
/// thread.
class Rehearsal {
 public:
  /// Starts reading local facts at once: the first round will ask for them.
  Rehearsal(const Settings& settings, Log& log, const Wake& news);
  ~Rehearsal();
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;

  /// Begins what `instruction` asks for, unless it is begun already in this round. Wait keeps everything as it is.
  void obey(const roll_call::Instruction& instruction);

  /// Writes round and results into `answer`.
  void fill(roll_call::Answer& answer);

  /// Ends what runs and closes every port.
  void close_all();

 private:
  struct Results {
    std::optional<roll_call::RoundId> round;
    std::optional<roll_call::LocalFacts> facts;
    std::optional<roll_call::MasterPortState> master_port;
    std::optional<roll_call::Edge> reached;
    std::optional<roll_call::MeshState> mesh;
    std::optional<roll_call::GpuFacts> gpu;
    std::optional<roll_call::NcclFacts> nccl;
    std::optional<roll_call::ChecksState> checks;
  };
  /// A step on its thread; cancelled and joined when it goes.
  struct Work {
    Wake cancel;
    std::thread thread;
    ~Work();
  };

  void enter_round(const roll_call::Instruction& instruction);
  void read_facts_now();
  void listen_master_now(const roll_call::Instruction& instruction);
  void reach_master_now(const roll_call::Instruction& instruction);
  void listen_mesh_now(const roll_call::Instruction& instruction);
  void connect_mesh_now(const roll_call::Instruction& instruction);
  void ask_gpus_now();
  void ask_nccl_now();
  void run_collective_now(const roll_call::Instruction& instruction);
  void run_checks_now();
  /// Ends what runs for a step of the GPU's that is not `step`; Wait ends nothing.
  void end_other_gpu_work(roll_call::Step step);
  std::unique_ptr<Work> start(const char* what, std::function<void(const Wake& cancel)> step);

  const Settings& settings_;
  Log& log_;
  const Wake& news_;

  int attempt_ = 0;
  std::unique_ptr<ExchangeServer> master_server_;
  std::unique_ptr<ExchangeServer> mesh_server_;

  mutable std::mutex mutex_;  // guards what workers write
  Results results_;
  std::optional<roll_call::LocalFacts> early_facts_;  // read before a round asked for them
  bool facts_wanted_ = false;
  /// The desk process that has the finished mesh of this round; empty = none.
  std::string mesh_known_to_;
  std::shared_ptr<JobImage> image_;
  std::shared_ptr<CollectiveRun> collective_;

  // Last, so that they end before what they write to.
  std::unique_ptr<Work> facts_work_;
  std::unique_ptr<Work> reach_work_;
  std::unique_ptr<Work> mesh_work_;
  std::unique_ptr<Work> gpu_work_;
  std::unique_ptr<Work> nccl_work_;
  std::unique_ptr<Work> collective_work_;
  std::unique_ptr<Work> checks_work_;
};

}  // namespace rollcall::probe
