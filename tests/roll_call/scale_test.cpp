#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "roll_call/desk.h"
#include "roll_call/machines.h"
#include "roll_call/messages.h"

// A roll call of 10,000 nodes in one process: what the desk costs between the last answer and the verdict, and what it
// keeps. The answers are made on the fly, so that what grows is the desk's.
namespace rollcall::roll_call {
namespace {

constexpr int kNodes = 10'000;
constexpr int kGpus = 8;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // redzones and shadow memory would be measured
#else
constexpr bool kSanitized = false;
#endif

double cpu_seconds() {
  timespec at{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
  return static_cast<double>(at.tv_sec) + static_cast<double>(at.tv_nsec) / 1e9;
}

double resident_mebibytes() {
  std::ifstream statm("/proc/self/statm");
  long size = 0;
  long resident = 0;
  statm >> size >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024 * 1024);
}

std::string uid_of(int node) { return fmt::format("00000000-0000-4000-8000-{:012d}", node); }
std::string address_of(int node) { return fmt::format("10.{}.{}.{}", node / 65536, node / 256 % 256, node % 256); }

/// What every node's image and template have alike.
LocalFacts common_facts() {
  LocalFacts f;
  f.kernel = "6.1.0-28-cloud-amd64";
  f.architecture = "x86_64";
  f.shm_bytes = std::int64_t{64} << 30;
  f.nofile = 1'048'576;
  f.port_range = "32768 60999";
  f.gpu_resource = "nvidia.com/gpu";
  f.gpus_requested = f.gpus_visible = kGpus;
  for (int i = 0; i < 96; ++i)
    f.env[fmt::format("NCCL_A_SETTING_WITH_A_LONG_NAME_OF_SIXTY_LETTERS_AND_NUMBER_{}", i)] = std::string(384, 'v');
  for (int i = 0; i < 16; ++i) {
    f.libraries.push_back({i == 0 ? "nccl" : fmt::format("library-{}", i),
                           fmt::format("/opt/conda/lib/python3.12/site-packages/{}/lib{}.so", std::string(160, 'p'), i),
                           "2.27.5", std::string(40, 'b')});
  }
  for (int i = 0; i < 4; ++i) f.conf_files[fmt::format("/etc/nccl-{}.conf", i)] = std::string(64, 'c');
  return f;
}

LocalFacts facts_of(const LocalFacts& common, int node) {
  LocalFacts f = common;
  f.hostname = fmt::format("llama-ft-{}-1", node);
  f.boot_id = fmt::format("8f4c1c1e-0000-4000-8000-{:012d}", node);
  f.memory_available_bytes = (std::int64_t{2000} << 30) + node;
  f.interfaces.push_back({"eth0", 9000, true, {address_of(node)}});
  for (int i = 0; i < 8; ++i)
    f.interfaces.push_back(
        {fmt::format("rdma{}", i), 4200, true, {fmt::format("172.{}.{}.{}", 16 + i, node / 256, node % 256)}});
  return f;
}

GpuFacts gpus_of(int node) {
  GpuFacts f;
  f.library = true;
  f.library_path = "/usr/lib/x86_64-linux-gnu/libcuda.so.1";
  f.cuda_result = f.nvml_result = 0;
  f.cuda_version = 12040;
  f.driver = "550.54.15";
  f.init_seconds = 1.5;
  for (int i = 0; i < kGpus; ++i) {
    GpuFact gpu;
    gpu.index = i;
    gpu.uuid = fmt::format("GPU-{:08x}-0000-4000-8000-{:012d}", i, node);
    gpu.name = "NVIDIA H100 80GB HBM3";
    gpu.pci = fmt::format("0000:{:02x}:00.0", 16 * i + 1);
    gpu.compute_major = 9;
    gpu.memory_bytes = std::int64_t{80} << 30;
    gpu.memory_used_bytes = 0;
    gpu.ecc_uncorrected = gpu.remap_pending = gpu.remap_failed = 0;
    gpu.nvlink_active = gpu.nvlink_links = 18;
    gpu.fabric = "completed";
    f.gpus.push_back(gpu);
  }
  return f;
}

NcclFacts nccl_of(int node) {
  NcclFacts f;
  f.path = "/opt/conda/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2";
  f.version = "2.27.5";
  f.build_id = std::string(40, 'b');
  f.source = "job";
  f.interface_result = 0;
  f.interface_name = "eth0";
  f.interface_address = address_of(node);
  f.ibverbs = true;
  f.memlock_bytes = -1;
  for (int i = 0; i < 8; ++i) {
    f.rdma.push_back(testing::sound_device(fmt::format("mlx5_{}", i)));
  }
  return f;
}

CollectiveState result_of(const CollectiveOrder& order, int node) {
  CollectiveState state;
  state.id = order.id;
  state.done = true;
  for (std::size_t i = 0; i < order.gpus.size(); ++i) {
    RankResult rank;
    rank.rank = order.first_rank + static_cast<int>(i);
    rank.gpu = order.gpus[i];
    rank.uuid = fmt::format("GPU-{:08x}-0000-4000-8000-{:012d}", i, node);
    rank.step = "ncclCommDestroy";
    rank.init_ms = 900;
    rank.small_us = 40;
    rank.bus_gbytes = 380 + node % 10;
    rank.network = "IB";
    rank.transport = "rdma";
    for (int d = 0; d < 8; ++d) rank.devices.push_back(fmt::format("mlx5_{}:1", d));
    rank.gdr = true;
    state.ranks.push_back(rank);
  }
  return state;
}

/// One probe: what it has done so far, in a few bytes.
struct Probe {
  bool facts = false;
  bool gpu = false;
  bool nccl = false;
  bool listens = false;
  bool reached = false;
  bool ports = false;
  bool meshed = false;
  bool seen = false;
  std::optional<CollectiveOrder> collective;
  int peers = 0;
};

class Job {
 public:
  Job() : common_(common_facts()), probes_(kNodes) {
    stored_.meta.name = "tj-llama-ft-1";
    stored_.meta.namespace_name = "team-a";
    stored_.spec.job = {"rollcall.dev/v1alpha1", "TrainingJob", "llama-ft", "job-uid"};
    stored_.spec.nproc_per_node = stored_.spec.gpus_per_pod = kGpus;
    stored_.spec.gpu_resource = "nvidia.com/gpu";
    for (int i = 0; i < kNodes; ++i) stored_.spec.roster.push_back({i, fmt::format("llama-ft-{}-1", i), uid_of(i)});
  }

  Answer answer_of(int node, const std::optional<RoundId>& round) const {
    const Probe& probe = probes_[static_cast<std::size_t>(node)];
    Answer answer;
    answer.pod_uid = uid_of(node);
    answer.boot_nonce = fmt::format("{:032d}", node);
    answer.sequence = sequence_;
    answer.attempt = 1;
    answer.round = round;
    if (probe.facts) answer.facts = facts_of(common_, node);
    if (probe.gpu) answer.gpu = gpus_of(node);
    if (probe.nccl) answer.nccl = nccl_of(node);
    if (probe.listens) answer.master_port = MasterPortState{29500, true, "", ""};
    if (probe.reached) answer.master_port_reached = Edge{0, EdgeOutcome::Ok, 29500, 1, 0, 1, ""};
    if (probe.ports) {
      answer.mesh.emplace();
      answer.mesh->ports = {40001, 40002, 40003, 40004};
      answer.mesh->done = probe.meshed;
      answer.mesh->ok = answer.mesh->attempted = probe.peers;
      for (int i = 0; probe.meshed && i < std::min<int>(probe.peers, kMaxPeerTimes); ++i)
        answer.mesh->times.push_back({i, 1.5, 4 << 20, 0});
    }
    if (probe.collective) {
      if (probe.collective->scope != CollectiveScope::Node && probe.collective->unique_id.empty()) {
        answer.collective.emplace();
        answer.collective->id = probe.collective->id;
        answer.collective->unique_id = std::string(256, 'a');
      } else {
        answer.collective = result_of(*probe.collective, node);
      }
    }
    if (probe.seen) answer.seen = SeenState{1, address_of(0)};
    return answer;
  }

  void obey(int node, const Instruction& said) {
    Probe& probe = probes_[static_cast<std::size_t>(node)];
    // GPU facts come with the local ones, whenever the desk asks for them.
    if (said.step == Step::Facts || said.step == Step::Gpu || said.step == Step::Nccl)
      probe.facts = probe.gpu = probe.nccl = true;
    if (said.step == Step::ListenMaster) probe.listens = true;
    if (said.step == Step::ReachMaster) probe.reached = true;
    if (said.step == Step::ListenMesh) probe.ports = true;
    if (said.step == Step::ConnectMesh) {
      probe.meshed = true;
      probe.peers = static_cast<int>(said.peers.size());
    }
    if (said.step == Step::Collective) probe.collective = said.collective;
    if (said.step == Step::SeeAddress) probe.seen = true;
  }

  void play() {
    now_ = *rfc3339_from("2026-11-30T12:00:00Z");
    const double before = resident_mebibytes();
    Desk desk(stored_, 1, "0123456789abcdef0123456789abcdef", now_);
    for (int i = 0; i < kNodes; ++i) {
      PodView view;
      view.uid = uid_of(i);
      view.name = stored_.spec.roster[static_cast<std::size_t>(i)].pod;
      view.node = fmt::format("gpu-{:05d}", i);
      view.address = address_of(i);
      view.probe_running = true;
      view.state = "Running";
      view.scheduled_at = view.probe_started_at = now_;
      desk.hear(PodSeen{view}, now_);
    }
    for (int turn = 0; turn < 40 && !verdict; ++turn) {
      ++sequence_;
      now_ += std::chrono::milliseconds{100};
      for (int node = 0; node < kNodes && !verdict; ++node) {
        const auto said = desk.instruction_for(uid_of(node), now_);
        if (turn > 0 && said->step == Step::Wait) continue;
        obey(node, *said);
        const Event heard = AnswerHeard{answer_of(node, said->round)};
        const double from = cpu_seconds();
        const Instructions done = desk.hear(heard, now_);
        const double cpu = cpu_seconds() - from;
        ++answers;
        // Orders change for everyone when the last answer of a step is there.
        if (done.orders_changed) {
          deciding += cpu;
        } else {
          hearing += cpu;
        }
        verdict = done.write_verdict;
      }
    }
    const double from = cpu_seconds();
    status = desk.status(now_);
    deciding += cpu_seconds() - from;
    grown = resident_mebibytes() - before;
  }

  std::optional<api::Verdict> verdict;
  api::RollCallStatus status;
  double deciding = 0;
  double hearing = 0;
  double grown = 0;
  int answers = 0;

 private:
  LocalFacts common_;
  std::vector<Probe> probes_;
  api::RollCall stored_;
  std::uint64_t sequence_ = 0;
  TimePoint now_;
};

TEST(Scale, TenThousandNodesAreDecidedInASecondAndKeptInLittle) {
  Job job;
  job.play();
  ASSERT_TRUE(job.verdict) << job.status.stage << ": " << job.status.message;
  EXPECT_EQ(job.verdict->kind, api::VerdictKind::Released) << job.verdict->message;
  for (const char* stage : {"NodeCollective", "JobCollective"}) {
    const auto found = std::find_if(job.status.stages.begin(), job.status.stages.end(),
                                    [&](const auto& each) { return each.name == stage; });
    EXPECT_EQ(found->state, "Passed") << stage << ": " << found->reason;
  }
  const std::size_t bytes = to_json(job.answer_of(1, RoundId{1, 1})).size();
  fmt::print(
      "{} nodes, {} answers of up to {:.1f} KiB: {:.3f} s of CPU in all decisions after a step's last answer, "
      "{:.1f} us an answer besides, {:.0f} MiB kept\n",
      kNodes, job.answers, static_cast<double>(bytes) / 1024, job.deciding, 1e6 * job.hearing / job.answers, job.grown);
  EXPECT_GT(bytes, 56u * 1024);
  EXPECT_LE(bytes, 64u * 1024);
  if (kSanitized) return;
  EXPECT_LT(job.deciding, 1.0);
  EXPECT_LT(job.grown, 200);
}

}  // namespace
}  // namespace rollcall::roll_call
