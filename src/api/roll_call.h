#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta.h"
#include "api/training_job.h"
#include "base/result.h"

namespace rollcall::api {

/// The job a RollCall belongs to.
struct JobReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
};

struct RosterEntry {
  int node_rank = 0;
  std::string pod;
  std::string uid;
};

/// A number that a RollcallPolicy asks of every node.
struct Threshold {
  std::int64_t value = 0;
  std::string policy;  ///< name of the RollcallPolicy that said so
};
/// What nodes are judged by beside each other; absent = not judged.
struct Thresholds {
  std::optional<Threshold> min_shared_memory_mebibytes;       ///< size of /dev/shm as the trainer will see it
  std::optional<Threshold> min_open_files;                    ///< soft RLIMIT_NOFILE in the trainer's image
  std::optional<Threshold> min_bus_bandwidth_gigabytes = {};  ///< GB/s bus bandwidth of the job-wide collective
  std::optional<Threshold> deadline_percent = {};  ///< of every deadline of the GPU stages; 100 = as they are
};

/// Written by the operator, immutable.
struct RollCallSpec {
  JobReference job;
  int attempt = 1;
  int nproc_per_node = 1;
  int master_port = 29500;
  bool host_network = false;
  int gpus_per_pod = 0;
  std::string gpu_resource;   ///< empty when the job asks for none
  std::string rdma_resource;  ///< vpc.amazonaws.com/efa, rdma/hca …; empty when the pods ask for none
  /// Why the probe's environment may not be the trainer's, as far as the manifest shows: "the command sources
  /// /opt/profile.sh"; empty = nothing seen.
  std::string partial_environment;
  RollCallSettings settings;  ///< the mode is the effective one: a policy's in place of the job's
  Thresholds thresholds;
  std::optional<std::string> master_addr;  ///< the job's assertion, when it makes one
  std::vector<RosterEntry> roster;         ///< sorted by node rank, 0 … nnodes-1
};

enum class VerdictKind { Released, Ended };
std::string_view to_string(VerdictKind kind);

/// Why an attempt ended. The operator decides from this alone what comes next (design, "A failed round").
enum class EndReason {
  PodsNotStarted,     ///< waitForPodsSeconds over; spends nothing
  HoldExpired,        ///< holdSeconds over; spends a retry
  JobsOwnCause,       ///< the same on every node: the job fails
  PodLost,            ///< a pod of the roster is gone; spends a retry
  AddressChanged,     ///< node rank 0's address changed, or a probe started anew after release; spends a retry
  TrainerNotStarted,  ///< a trainer not running 60 s after the first; spends a retry
  Suspended,          ///< spends nothing
  JobDeleted,
  JobFinished,  ///< trainers ended, well or badly, or the job's own deadline is over
};
std::string_view to_string(EndReason reason);
std::optional<EndReason> end_reason_from(std::string_view text);

/// Written once by compare-and-swap on resourceVersion; whoever wins may act on it.
struct Verdict {
  VerdictKind kind = VerdictKind::Released;
  std::optional<EndReason> reason;  ///< for Ended
  std::string message;
  std::string at;           ///< RFC 3339
  std::string by;           ///< desk or operator
  bool overridden = false;  ///< Released by a person
};

/// How a Released attempt ended; the same compare-and-swap, by the operator, once.
struct End {
  EndReason reason = EndReason::JobFinished;
  std::string message;
  std::string at;
};

/// A finding of the roll call: something seen on nodes, not in a manifest.
struct NodeFinding {
  std::string rule;      ///< `master-port/in-use`, `mesh/dropped`, `gpu/not-visible`, …
  std::string severity;  ///< fail, warn, info
  std::string message;   ///< the whole sentence: what, between whom, what to do
  std::vector<int> node_ranks;
  std::string owner;  ///< network, job, node, cluster
};

struct StageLine {
  std::string name;    ///< Gathering, LocalFacts, Comparison, MasterPort, Mesh, Gpu, AddressSeen
  std::string state;   ///< Waiting, Running, Passed, Failed, Skipped
  std::string reason;  ///< for Skipped and Failed
  std::string started_at;
  double seconds = 0;
};

/// A node of the roll, as `rollcall status` shows it. Above 64 nodes only the 50 that need attention.
struct RollNode {
  int node_rank = 0;
  std::string ranks;
  std::string pod;
  std::string node;
  std::string address;
  std::string state;   ///< Unscheduled, Pulling, Starting, Mute, Answered, Passed, Failed, Lost
  std::string detail;  ///< the scheduler's or kubelet's words, or what failed
  std::vector<StageLine> stages;
};

/// A value that the nodes should share, and who has it.
struct ReportGroup {
  std::string what;   ///< "NCCL"
  std::string value;  ///< "2.27.5"
  int count = 0;
  bool minority = false;
  std::vector<int> node_ranks;  ///< of a minority, at most 64
};

/// A pair of nodes that is not as the others are.
struct ReportPair {
  int from = 0;  ///< node rank
  int to = 0;
  std::string state;  ///< an EdgeOutcome, or Slow, Lossy, CollectiveFailed, CollectiveOk
  double milliseconds = 0;
  double gigabytes = 0;  ///< GB/s of a pair collective, 0 = none
  std::string text;
};

/// One line of the timeline.
struct ReportMoment {
  std::string kind;  ///< Scheduling, Pulling, Starting, Stage, Held, Released, Ended
  std::string what;  ///< "image pull", "Mesh"
  std::string at;    ///< RFC 3339
  double seconds = 0;
  int node_rank = -1;  ///< -1 = the whole job
};

/// What a person needs to act on a verdict or a hold.
struct Advice {
  std::string what;           ///< what is wrong, one sentence
  std::string since;          ///< RFC 3339
  std::string cost;           ///< "24 GPUs held for 4 min: 1.6 GPU-hours"
  std::string owner;          ///< network, job, node, cluster
  std::string next_command;   ///< one to copy
  std::string override_safe;  ///< "no: …", "yes: …"
};

/// Exceptions and summaries, under 512 KiB at 1,000 nodes; lists "by node rank" have one entry a node or none at all.
struct Report {
  bool simulated = false;               ///< the GPU stages ran on doubles
  std::vector<std::string> stages;      ///< names, in order
  std::vector<std::string> nodes;       ///< node name by node rank
  std::vector<std::string> states;      ///< by node rank: a letter a stage; W R P F S as in Waiting … Skipped
  std::vector<double> node_bus_gbytes;  ///< by node rank, of the in-node collective; 0 = not measured
  std::vector<double> job_bus_gbytes;   ///< by node rank, lowest of its ranks in the job-wide collective
  /// By node rank, up to 64 nodes: comma-separated, one entry a peer by node rank: milliseconds, `x` = failed, empty =
  /// not tried.
  std::vector<std::string> matrix;
  std::vector<ReportPair> pairs;  ///< exceptions only, at most 500
  std::vector<ReportGroup> groups;
  std::vector<ReportMoment> timeline;
  std::string transport;  ///< "rdma by IB, mlx5_0 … mlx5_7"
  std::string gpus;       ///< "8 x NVIDIA H100 80GB HBM3 a node"
  std::optional<Advice> advice;
};

struct RollCallStatus {
  std::string stage;    ///< Gathering … AddressSeen, Held, Released, Ended
  std::string round;    ///< "TRANSITIONS.N"
  std::string message;  ///< the sentence for a person
  std::string master_addr;
  std::string answered;    ///< "3/4"
  std::string started_at;  ///< when the last probe had answered for the first time
  std::string held_since;
  std::string next_round_at;
  double held_seconds = 0;  ///< closed cost clock of earlier holds of this attempt
  std::vector<StageLine> stages;
  std::vector<RollNode> nodes;
  std::vector<NodeFinding> findings;
  std::optional<Verdict> verdict;
  std::optional<End> end;
  std::optional<Report> report = {};
};

struct RollCall {
  ObjectMeta meta;
  RollCallSpec spec;
  RollCallStatus status;
};

/// `tj-JOB-ATTEMPT`.
std::string roll_call_name(const std::string& job, int attempt);

Result<RollCall> roll_call_from(const nlohmann::json& object);
nlohmann::json to_json(const RollCallSpec& spec);
nlohmann::json to_json(const RollCallStatus& status);

/// "24-31", or "3" when there is one process a node.
std::string ranks_of(int node_rank, int nproc_per_node);

}  // namespace rollcall::api
