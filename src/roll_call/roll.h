#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/roll_call.h"
#include "roll_call/collective/memory.h"
#include "roll_call/collective/plan.h"
#include "roll_call/desk.h"
#include "roll_call/kept_facts.h"
#include "roll_call/messages.h"

/// What the desk knows: inside of roll_call/ only. Plain values; the functions that change it are in hear.h, rounds.h
/// and stages/, those that only read it in words.h, orders.cpp, status.cpp.
namespace rollcall::roll_call {

/// In the order they run.
enum class Stage {
  Gathering,
  LocalFacts,
  Comparison,
  Gpu,
  Nccl,
  MasterPort,
  Mesh,
  NodeCollective,
  JobCollective,
  Localisation,
  Transport,
  Checks,
  AddressSeen
};
inline constexpr int kStages = 13;
const char* name_of(Stage stage);

/// One pod of the roster and what its probe said.
struct Pod {
  int node_rank = 0;
  std::string uid;
  std::string name;
  std::string ranks;
  std::optional<PodView> view;

  std::string nonce;                       ///< of the probe process; empty = never heard
  std::vector<std::string> former_nonces;  ///< an answer of theirs came late and is void
  std::uint64_t sequence = 0;
  std::optional<TimePoint> started_at;  ///< probe seen running, or heard; stays
  std::optional<TimePoint> heard_at;    ///< last answer
  int restarts = 0;
  bool started_anew = false;  ///< after the release, or while it is being written
  bool seen = false;          ///< its downward file shows this attempt's address
  bool silent = false;        ///< missed a deadline of this round, not heard since

  // Results of this round.
  std::optional<KeptFacts> facts;
  std::optional<MasterPortState> master_port;
  std::optional<Edge> reached;
  std::optional<MeshState> mesh;
  std::optional<GpuFacts> gpu;
  std::optional<NcclFacts> nccl;
  /// Of the order that is out; a state of another id is not kept. What is judged later, stages keep themselves.
  std::optional<CollectiveState> collective;
  std::optional<ChecksState> checks;
  std::vector<RankResult> node_ranks;  ///< of the in-node collective that counts
  std::vector<RankResult> job_ranks;   ///< of the job-wide collective that counts

  /// Of a round that is over, or of a probe that is gone.
  void void_results();
  bool heard() const { return !nonce.empty(); }
  bool gone() const { return view && view->gone; }
  std::string address() const { return view ? view->address : std::string(); }
  std::string node() const { return view ? view->node : std::string(); }
};

/// A finding of a round and the stage that made it.
struct StageFinding {
  Stage stage;
  api::NodeFinding finding;
  bool jobs_own = false;  ///< no other node or round would do better: the job must change
};

enum class StageState { Waiting, Running, Passed, Failed, Skipped };

struct StageRun {
  StageState state = StageState::Waiting;
  std::string reason;
  std::optional<TimePoint> started_at;
  std::optional<TimePoint> ended_at;
};

/// The first pauses between rounds are seconds; at 120 s each, 50 holds are two hours of a hold nobody looked at.
inline constexpr std::size_t kMaxPast = 50;

enum class Phase { Round, Held, Verdict };

struct Roll {
  // Given.
  api::RollCallSpec spec;
  std::string namespace_name;
  std::string seed;

  // Heard.
  api::RollCallMode mode = api::RollCallMode::Enforce;
  /// The mode became Observe after a round was held for what it found: those findings are what Observe asks for.
  bool observed_before = false;
  std::optional<std::string> override_reason;
  std::vector<Pod> pods;  ///< index = node rank
  std::map<std::string, std::size_t> index_of_uid;
  bool simulated = false;  ///< a double of the tests stood in for a library somewhere in this attempt; stays
  FactPools fact_pools;
  // What need not be looked for in every pod at every answer: 10,000 answers would be 100,000,000 looks.
  std::size_t heard = 0;                ///< pods heard; none is unheard again
  std::optional<TimePoint> last_start;  ///< when the last probe started, once all have
  std::size_t waited_for = 0;           ///< a pod that the running step was last found to wait for
  bool any_silent = false;              ///< some pod may be silent in this round
  std::string first_address;            ///< node rank 0's, as the API server first had it
  std::string changed_address;          ///< what it became; empty = it did not

  // Where the round stands.
  Phase phase = Phase::Round;
  std::string master_addr;
  RoundId round;
  TimePoint clock_from;  ///< timeoutSeconds runs from here, at the earliest; a restarted round keeps it
  int at = 0;            ///< index of the running stage; kStages = all done
  int step = 0;          ///< within the stage
  TimePoint step_from;
  std::vector<StageRun> stages;
  int collective_id = 0;               ///< last one ordered; goes on over rounds
  CollectivePlan plan;                 ///< of it
  CollectiveMemory memory;             ///< what the stages of this round keep of the collectives before
  bool restart_wanted = false;         ///< a probe of this round started anew: what it and others said together is void
  std::vector<StageFinding> findings;  ///< of this round
  /// Pair collectives of this round as the report shows them: CollectiveOk or CollectiveFailed.
  std::vector<api::ReportPair> pairs;
  std::vector<StageFinding>
      former_findings;  ///< of the last round that had any: why the job was held, while the next one runs
  std::optional<TimePoint> called_at;  ///< when the last probe had answered for the first time

  // Holds.
  std::optional<TimePoint> held_since;
  std::chrono::milliseconds held_before{0};
  int holds = 0;
  std::vector<api::ReportMoment> past;  ///< holds that are over, oldest first, for the report; at most kMaxPast
  std::optional<TimePoint> next_round_at;
  bool held_for_missing = false;  ///< some did not answer: when they do, the next round need not wait

  // Verdict.
  bool verdict_asked = false;  ///< a write is under way; nothing else may be decided
  int verdict_failures = 0;
  std::optional<TimePoint> verdict_again_at;
  std::optional<api::RollCallStatus>
      record;                           ///< as read, when the verdict was in it: another desk's, not to be written anew
  std::optional<api::Verdict> verdict;  ///< as stored

  // What the last event changed.
  bool status_changed = false;
  bool orders_changed = false;
  std::optional<api::Verdict> write_verdict;
  std::string message;         ///< for status and the probes' logs
  TimePoint words_at;          ///< when it was last made
  std::size_t mute_known = 0;  ///< mute probes it tells of

  int nnodes() const { return static_cast<int>(pods.size()); }
  bool stage_is(Stage stage) const { return phase == Phase::Round && at == static_cast<int>(stage); }
  bool releases_whatever() const { return override_reason || mode != api::RollCallMode::Enforce; }
  bool skips_stages() const { return override_reason || observed_before || mode == api::RollCallMode::Off; }
  StageRun& run_of(Stage stage) { return stages[static_cast<std::size_t>(stage)]; }
  const StageRun& run_of(Stage stage) const { return stages[static_cast<std::size_t>(stage)]; }
  Pod* find(const std::string& uid);
  const Pod* find(const std::string& uid) const;
};

/// Every probe has been seen running or has been heard.
bool all_started(const Roll& roll);
/// When the last of them started; only after all_started().
TimePoint last_started(const Roll& roll);
/// Held so far in this attempt, the present hold included.
std::chrono::milliseconds held_for(const Roll& roll, TimePoint now);
/// When the pods' places are given back because a probe has not started; nullopt while no pod is scheduled.
std::optional<TimePoint> wait_ends_at(const Roll& roll);
/// When timeoutSeconds of this round is over; nullopt before the last probe has started.
std::optional<TimePoint> round_ends_at(const Roll& roll);
/// Every pod stands, is heard, and shows the address.
bool all_seen(const Roll& roll);
bool any_failure(const Roll& roll);

}  // namespace rollcall::roll_call
