#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "probe/support/process.h"
#include "probe/support/tls_server.h"
#include "roll_call/messages.h"

namespace rollcall::probe::testing {

inline constexpr auto kDeskName = "rollcall-desk.rollcall-system.svc";

/// A desk that leads `nodes` probes, all on 127.0.0.1, through every step, holding replies while there is nothing new.
/// Not the real state machine: it finds fault with nothing, and tests look at the answers it keeps.
class ScriptedDesk {
 public:
  ScriptedDesk(int nodes, int master_port);
  ~ScriptedDesk();

  /// Environment of the probe of a node rank; its uid is "uid-RANK".
  std::map<std::string, std::string> environment(int node_rank) const;

  /// The last answer of a node rank, once `holds(answer)`; nullopt when it does not come within 20 s.
  template <typename Holds>
  std::optional<roll_call::Answer> answer_when(int node_rank, const Holds& holds) {
    std::unique_lock lock(mutex_);
    const bool came = changed_.wait_for(lock, std::chrono::seconds(20), [&] {
      const auto at = answers_.find(node_rank);
      return at != answers_.end() && holds(at->second);
    });
    return came ? std::optional(answers_[node_rank]) : std::nullopt;
  }

  /// Everyone is told this instead of the script's next step; its attempt, round and rank are filled in.
  void tell(roll_call::Instruction instruction);
  void new_round();
  void set_attempt(int attempt);
  /// From now on replies are closed without a word.
  void go_mute();
  /// The script goes no further than this step.
  void stop_at(roll_call::Step step);

  const std::string& authority() const { return authority_.certificate; }
  int port() const { return server_->port(); }
  int connections() const { return server_->connections(); }
  int exchanges() const;

 private:
  std::string reply(const HttpRequest& request);
  roll_call::Instruction instruction_for(int node_rank);
  bool all(bool (*done)(const roll_call::Answer&, int node_rank));
  void advance();

  const int nodes_;
  const int master_port_;
  KeyPair authority_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int, roll_call::Answer> answers_;
  std::optional<roll_call::Instruction> told_;
  roll_call::RoundId round_{1, 1};
  int attempt_ = 1;
  std::size_t phase_ = 0;
  roll_call::Step last_step_ = roll_call::Step::Release;
  bool mute_ = false;
  bool stopping_ = false;
  int exchanges_ = 0;
  std::unique_ptr<TlsServer> server_;
};

/// `attempt` and `master-addr` as the kubelet would write them, with foreign annotations round them.
std::string annotations_file(int attempt, const std::string& address, int released = 0);

/// The path of the program under test.
std::string probe_program();

/// A probe of the scripted desk: its files and its process.
class RunningProbe {
 public:
  RunningProbe(const ScriptedDesk& desk, int node_rank, const std::map<std::string, std::string>& more = {},
               const std::vector<std::string>& arguments = {});
  RunningProbe(const std::map<std::string, std::string>& environment, int node_rank,
               const std::vector<std::string>& arguments = {});
  void show(const std::string& annotations) const { files.write("annotations", annotations); }
  std::string termination_message() const;

  TemporaryDirectory files;
  std::unique_ptr<Process> process;
};

}  // namespace rollcall::probe::testing
