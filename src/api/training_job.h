#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta.h"
#include "base/result.h"

namespace rollcall::api {

enum class RollCallMode { Enforce, Observe, Off };
std::string_view to_string(RollCallMode mode);
std::optional<RollCallMode> roll_call_mode_from(std::string_view text);

/// Which libnccl the collectives load.
enum class NcclSource {
  Job,      ///< the one in the job's image that its trainer will load
  Bundled,  ///< the one of the probe's image: the job's image has none, or links it statically
};
std::string_view to_string(NcclSource source);
std::optional<NcclSource> nccl_source_from(std::string_view text);

/// One of the user's own checks, run on every node in the job's image, after Rollcall's.
struct UserCheck {
  std::string name;
  std::vector<std::string> command;  ///< as a container's: no shell unless it is one
  bool compare = false;              ///< the last line of its output must be the same on every node
  int deadline_seconds = 60;

  bool operator==(const UserCheck&) const = default;
};

/// spec.rollCall. The defaults are the schema's.
struct RollCallSettings {
  RollCallMode mode = RollCallMode::Enforce;
  int wait_for_pods_seconds = 1800;
  int timeout_seconds = 600;
  int retries = 5;
  int hold_seconds = 900;
  NcclSource nccl = NcclSource::Job;
  std::string setup =
      {};  ///< shell text, sourced before the collectives and checks: what makes the fabric's environment
  std::vector<UserCheck> checks = {};

  bool operator==(const RollCallSettings&) const = default;
};

/// Most pods of one job: four times the largest size the desk is measured at; a roster of it stays under 700 KB, half
/// of what the API server stores for one object.
inline constexpr int kMaxNodes = 4096;

/// Longest deadline or ttl: ten years, so that a sum with any time of this century stays in range.
inline constexpr std::int64_t kMaxSeconds = 315'360'000;

struct TrainingJobSpec {
  int nnodes = 1;
  std::optional<int> nproc_per_node;    ///< absent = auto: GPUs of the trainer container, 1 without GPUs, 1 for jax
  std::optional<int> world_size;        ///< an assertion: nnodes x nprocPerNode
  std::optional<std::string> launcher;  ///< absent = read from the command
  std::optional<std::string> trainer_container;
  int port = 29500;                        ///< spec.rendezvous.port
  std::optional<std::string> master_addr;  ///< spec.rendezvous.masterAddr: an assertion, host network only
  RollCallSettings roll_call;
  std::optional<std::int64_t> active_deadline_seconds;     ///< from the first release, time suspended not counted
  std::optional<std::int64_t> ttl_seconds_after_finished;  ///< then the job is deleted; absent = never
  bool suspend = false;
  nlohmann::json pod_template;  ///< spec.template as written, unknown fields and all
};

/// One line of status.nodes.
struct NodeLine {
  int node_rank = 0;
  std::string ranks;  ///< "24-31"
  std::string node;
  std::string pod;
  std::string state;  ///< a word: Unscheduled, Pulling, Starting, Answered, Passed, Failed, Released, Running,
                      ///< Succeeded, Lost …
};

enum class Phase { Pending, RollCall, Held, Released, Running, Suspended, Succeeded, Failed };
std::string_view to_string(Phase phase);

struct TrainingJobStatus {
  std::int64_t observed_generation = 0;
  std::string phase;
  std::string message;
  int attempt = 0;
  std::string round;
  int retries_used = 0;
  int start_failures = 0;       ///< attempts in a row whose pods never all started; their back-off doubles
  std::string next_attempt_at;  ///< RFC 3339: pods of `attempt` are not created before; empty = at once
  std::string held_since;       ///< RFC 3339 or empty
  std::string released_at;
  std::string answered;  ///< "3/4"
  std::string master_addr;
  std::string succeeded;  ///< node ranks of this attempt whose trainer ended well: "0,3-5"
  std::string
      first_released_at;  ///< RFC 3339: of the first attempt that was released; activeDeadlineSeconds runs from it
  std::int64_t suspended_seconds = 0;  ///< since then, without the suspension that lasts
  std::string start_time;
  std::string completion_time;
  std::vector<NodeLine> nodes;  ///< at most the 50 that need attention above 64 nodes
  std::vector<Condition> conditions;
};

struct TrainingJob {
  ObjectMeta meta;
  TrainingJobSpec spec;
  TrainingJobStatus status;
};

/// Reads a TrainingJob as the API server stores it. An Error names the field ("spec.nnodes: …"); unknown fields are
/// passed over.
Result<TrainingJob> training_job_from(const nlohmann::json& object);
nlohmann::json to_json(const TrainingJobStatus& status);

}  // namespace rollcall::api
