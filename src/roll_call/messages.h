#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "roll_call/collective.h"
#include "roll_call/device_facts.h"

/// What a probe and the desk say to each other. One exchange: the probe posts an Answer (all it knows, repeatable,
/// numbered) to `POST /v1/answer` with its token; the desk replies with an Instruction, at once or after holding the
/// reply for at most 20 s. An Answer is whole each time, so a desk that starts anew rebuilds the roll from the next
/// answers.
namespace rollcall::roll_call {

/// Largest answer in bytes. Facts are about 8 KiB; 1,000 peers as failures cost 90 bytes each; the rest is room.
inline constexpr std::size_t kMaxAnswerBytes = 256 * 1024;
/// Largest instruction in bytes: kMaxPeers peers at about 110 bytes each, and the rest.
inline constexpr std::size_t kMaxInstructionBytes = 1024 * 1024;
/// Peers one instruction may name: Kubernetes is tested up to 5,000 nodes in a cluster.
inline constexpr std::size_t kMaxPeers = 5000;
/// Failed edges one answer may carry; above it the count still tells the truth.
inline constexpr std::size_t kMaxEdges = 200;
/// Ephemeral ports each node listens on for the mesh. NCCL asks for port 0 for every listener, about 4 a rank.
inline constexpr int kMeshPorts = 4;
/// Payload of one mesh exchange each way: larger than any MTU, so that a black hole for big packets shows.
inline constexpr std::size_t kMeshPayloadBytes = 64 * 1024;

/// Rounds order by (transitions of the lease, n): a new leader's rounds come after those of the old one.
struct RoundId {
  std::int64_t term = 0;
  int n = 0;
  auto operator<=>(const RoundId&) const = default;
};
std::string to_string(RoundId round);  // "3.1"
std::optional<RoundId> round_from(std::string_view text);

/// A library file found in the image, read from files alone (never loaded).
struct LibraryFact {
  std::string name;  ///< nccl, torch, cudart …
  std::string path;
  std::string version;   ///< "2.27.5"; empty = could not be read
  std::string build_id;  ///< hex; empty = the file carries none

  bool operator==(const LibraryFact&) const = default;
};

struct InterfaceFact {
  std::string name;
  int mtu = 0;
  bool up = false;
  std::vector<std::string> addresses;  ///< without prefix length

  bool operator==(const InterfaceFact&) const = default;
};

/// What a node is, from the probe's own eyes. The desk compares them; only a policy's threshold judges one alone.
struct LocalFacts {
  std::string hostname;
  std::string boot_id;  ///< tells two pods on one node from two nodes
  std::string kernel;
  std::string architecture;             ///< x86_64
  std::int64_t shm_bytes = 0;           ///< size of /dev/shm; 0 = not mounted
  std::int64_t memory_limit_bytes = 0;  ///< cgroup limit; 0 = none
  std::int64_t memory_available_bytes = 0;
  std::int64_t nofile = 0;         ///< RLIMIT_NOFILE, soft
  std::int64_t memlock_bytes = 0;  ///< -1 = unlimited
  std::string port_range;          ///< net.ipv4.ip_local_port_range, "32768 60999"
  std::vector<InterfaceFact> interfaces;
  std::vector<LibraryFact> libraries;
  std::map<std::string, std::string> conf_files;  ///< NCCL conf path → sha256 of its content
  std::map<std::string, std::string> env;         ///< allow-listed names only; never an unknown value
  std::string gpu_resource;                       ///< what the trainer asks for; empty = none
  int gpus_requested = 0;
  int gpus_visible = 0;    ///< NVIDIA device nodes that can be opened here
  std::string gpu_detail;  ///< what was looked at, when none is visible

  bool operator==(const LocalFacts&) const = default;
};

/// Node rank 0's listener on MASTER_PORT.
struct MasterPortState {
  int port = 0;
  bool listening = false;
  std::string error;   ///< "EADDRINUSE", "EACCES" … when not
  std::string holder;  ///< "pid 4711 (python)" or "a listener on 0.0.0.0:29500, uid 0" where it can be seen
};

/// How one TCP exchange ended.
enum class EdgeOutcome {
  Ok,
  Dropped,  ///< connect timed out: no answer to our SYN
  Refused,
  NoRoute,
  Stalled,     ///< connected, then the 64 KiB did not come through: path MTU, a proxy
  WrongPeer,   ///< something else answered
  LocalError,  ///< we could not even try: detail says why
};
std::string_view to_string(EdgeOutcome outcome);
std::optional<EdgeOutcome> edge_outcome_from(std::string_view text);

/// One connection this node opened: from us to `to`.
struct Edge {
  int to = 0;  ///< node rank
  EdgeOutcome outcome = EdgeOutcome::Ok;
  int port = 0;    ///< one of those tried
  int tried = 0;   ///< ports tried
  int failed = 0;  ///< of them
  double milliseconds = 0;
  std::string detail;  ///< errno's words
};

/// One sound exchange with a peer, kept for the report's matrix and for what is slow or loses packets.
struct PeerTime {
  int to = 0;               ///< node rank
  double milliseconds = 0;  ///< TCP's least round trip; of an exchange that stalled, how long it took
  std::int64_t bytes = 0;   ///< moved each way; nothing is judged below 2 MB
  int retransmits = 0;      ///< TCP segments sent again, of TCP_INFO

  bool operator==(const PeerTime&) const = default;
};
/// Above so many peers only the slowest and the lossy ones are told.
inline constexpr std::size_t kMaxPeerTimes = 64;

struct MeshState {
  std::vector<int> ports;  ///< our listeners, kMeshPorts of them; empty until listening
  int attempted = 0;       ///< peers whose edge has ended
  int ok = 0;
  std::vector<Edge> failed;  ///< at most kMaxEdges
  double slowest_ms = 0;
  bool done = false;
  std::vector<PeerTime> times = {};  ///< at most kMaxPeerTimes
};

/// What the probe's downward file shows.
struct SeenState {
  int attempt = 0;
  std::string master_addr;
};

/// A result belongs to one round; the desk drops results of another.
struct Answer {
  std::string pod_uid;     ///< must equal the reviewed token's; never trusted by itself
  std::string boot_nonce;  ///< made at start of the probe process, 16 random bytes in hex
  std::uint64_t sequence = 0;
  int attempt = 0;               ///< the attempt the desk named; 0 = none yet
  std::optional<RoundId> round;  ///< the round the results below belong to
  std::optional<LocalFacts> facts;
  std::optional<MasterPortState> master_port;  ///< node rank 0 only
  std::optional<Edge> master_port_reached;     ///< others: to node rank 0 on MASTER_PORT
  std::optional<MeshState> mesh;
  std::optional<SeenState> seen;
  std::optional<GpuFacts> gpu;
  std::optional<NcclFacts> nccl;
  std::optional<CollectiveState> collective;  ///< the latest ordered
  std::optional<ChecksState> checks;
};

/// What the desk wants of a probe now. A step includes keeping what the steps before need: listeners stay open until
/// the desk names a later step than the one that uses them.
enum class Step {
  Wait,          ///< nothing to do; ask again
  Facts,         ///< read local facts for `round`
  ListenMaster,  ///< bind and listen on MASTER_PORT (node rank 0); SO_REUSEADDR always (probe-and-nccl 4.1)
  ReachMaster,   ///< connect to MASTER_PORT of `master_addr`, exchange the nonce, close first
  ListenMesh,    ///< MASTER_PORT is closed; open kMeshPorts listeners on port 0
  ConnectMesh,   ///< exchange 64 KiB both ways with every peer in `peers`
  Gpu,           ///< ask CUDA and NVML, in a child
  Nccl,          ///< ask the job's libnccl, in a child; without it, files and sysfs alone
  Collective,    ///< run `collective`, a child for each GPU
  Checks,        ///< run the user's own checks, which the probe has in its environment
  SeeAddress,    ///< everything closed; watch the downward file for `attempt` and `master_addr`
  Release,       ///< exit 0
  End,           ///< exit 1, `message` is the reason
};
std::string_view to_string(Step step);
std::optional<Step> step_from(std::string_view text);

struct Peer {
  int node_rank = 0;
  std::string address;  ///< podIPs[0] as the API server has it
  std::vector<int> ports;
};

struct Instruction {
  int attempt = 0;
  int node_rank = 0;
  int nnodes = 0;
  RoundId round;
  Step step = Step::Wait;
  std::string stage;  ///< Gathering … AddressSeen, Held, Released, Ended; for the probe's log
  std::string master_addr;
  int master_port = 0;
  std::string nonce;                               ///< of this round: what listeners expect and connectors send
  std::vector<Peer> peers;                         ///< for ConnectMesh, in the order to try (circle method)
  std::optional<CollectiveOrder> collective = {};  ///< for Step::Collective
  /// Of this desk process: a probe need not say a finished mesh again to the one that acknowledged it here.
  std::string desk_instance = {};
  bool mesh_known = false;  ///< this desk has the probe's finished mesh of `round`
  int ask_again_ms = 1000;
  std::string message;  ///< for the probe's log: whom we wait for, the verdict, what to do
};

/// The same order: all but `message` and `ask_again_ms`. A held reply is sent when the order changes; words alone can
/// wait for the end of the hold, or 1,000 nodes would be told of each other's every answer.
bool same_order(const Instruction& a, const Instruction& b);

/// An Error says what was wrong with the bytes, and in which field; limits: kMaxAnswerBytes (kMaxInstructionBytes),
/// depth 8, every text, number and list bounded. Unknown fields are passed over: probe and desk may be of different
/// versions. Control characters in texts become '?', so that nothing a pod says can reach a terminal as an escape
/// sequence.
Result<Answer> answer_from(std::string_view json);
Result<Instruction> instruction_from(std::string_view json);
/// Texts and lists above the limits are cut, so that what is written can always be read; invalid UTF-8 is replaced.
std::string to_json(const Answer& answer);
std::string to_json(const Instruction& instruction);

}  // namespace rollcall::roll_call
