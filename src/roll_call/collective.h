#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// One collective that the desk orders and what came of it. In-node, job-wide and pair collectives are the same order
/// with other groups: the desk says who takes part, the probe starts one child for each of its GPUs in the group. Part
/// of Instruction and Answer (messages.h).
namespace rollcall::roll_call {

/// Ranks one node may have in a collective; as kMaxGpus.
inline constexpr std::size_t kMaxLocalRanks = 64;

enum class CollectiveScope {
  Node,  ///< the GPUs of one pod
  Job,   ///< every GPU of the job
  Pair,  ///< localisation: two nodes, or two GPUs of one node
};
std::string_view to_string(CollectiveScope scope);
std::optional<CollectiveScope> collective_scope_from(std::string_view text);

/// Order (Instruction.collective, with Step::Collective). The node that holds rank 0 is ordered first, without
/// `unique_id`; its answer carries the id, and the desk gives it to the others (and again to that node, whose further
/// local ranks start then).
struct CollectiveOrder {
  int id = 0;  ///< of this round, counted up; a result of another id is void. A new id ends what runs of the old one.
  CollectiveScope scope = CollectiveScope::Node;
  int nranks = 0;         ///< of the whole group
  int first_rank = 0;     ///< of this node's: gpus[i] is rank first_rank + i
  std::vector<int> gpus;  ///< CUDA indices here; empty = this node takes no part
  std::string
      unique_id;  ///< hex of ncclUniqueId; empty and first_rank 0 = make it. Scope Node: the probe makes it itself
  std::map<std::string, std::string> env;  ///< set over the job's own: NCCL_IB_DISABLE=1
  std::int64_t small_bytes = 0;            ///< int32 sum, latency
  std::int64_t large_bytes = 0;            ///< timed: bus bandwidth; 0 = none
  int deadline_ms = 0;                     ///< from the start of a child to its result

  bool operator==(const CollectiveOrder&) const = default;
};

enum class RankOutcome {
  Ok,
  Slow,        ///< Ok, but only after the deadline, while its steps still advanced
  Error,       ///< NCCL or CUDA returned an error: `result`, `error`
  WrongValue,  ///< the sum is not what it must be: `error` says where
  TimedOut,    ///< killed at the deadline; `step` says where it was
  Stuck,       ///< SIGKILL did not end it
  Died,        ///< ended by a signal or an exit of its own
  NotStarted,  ///< the child cannot run here: `error`
};
std::string_view to_string(RankOutcome outcome);
std::optional<RankOutcome> rank_outcome_from(std::string_view text);

struct RankResult {
  int rank = 0;
  int gpu = 0;
  std::string uuid;
  RankOutcome outcome = RankOutcome::Ok;
  std::string step;         ///< last one begun: "ncclCommInitRank", "ncclAllReduce small", "cuInit"
  double step_seconds = 0;  ///< for how long it had been in it
  int result = 0;           ///< ncclResult_t or CUresult, as `step` says
  std::string error;        ///< the library's own words, or where the wrong value stands
  double init_ms = 0;
  double small_us = 0;    ///< one small all-reduce
  double bus_gbytes = 0;  ///< GB/s bus bandwidth of the large one: bytes/time x 2(n-1)/n; 0 = not measured
  std::string network;  ///< NCCL's name of what it chose: "IB", "Socket", "AWS Libfabric"; empty = its log does not say
  std::string transport;             ///< rdma, nvlink, tcp, other, shm; empty = unknown
  std::string provider;              ///< of libfabric: "efa", "tcp"
  std::vector<std::string> devices;  ///< NET devices that NCCL lists: "mlx5_0:1"
  bool gdr = false;                  ///< GPU memory is read by the NIC itself

  bool operator==(const RankResult&) const = default;
};

struct CollectiveState {
  int id = 0;
  std::string unique_id;  ///< hex, when this node made it
  bool done = false;
  bool simulated = false;
  std::vector<RankResult> ranks;
};

/// One of the user's own checks (rollCall.checks), run in the job's image.
struct CheckResult {
  std::string name;
  bool ran = false;  ///< false: `error` says why not
  bool timed_out = false;
  int exit_code = 0;
  std::string output;  ///< last line of its standard output, clipped: what is compared across nodes
  std::string error;   ///< last line of its standard error
  double seconds = 0;

  bool operator==(const CheckResult&) const = default;
};
inline constexpr std::size_t kMaxChecks = 16;

struct ChecksState {
  bool done = false;
  std::vector<CheckResult> checks;
};

}  // namespace rollcall::roll_call
