#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "doubles/stuck/stuck_mount.h"
#include "range/faults.h"

namespace rollcall::range {
namespace {

constexpr int kGpus = 2;  // a node

/// What all rows of one program write for the probes' doubles.
const probe::testing::TemporaryDirectory& files() {
  static const probe::testing::TemporaryDirectory directory;
  return directory;
}

struct Simulated {
  std::string scenario = {};  ///< README.md of tests/doubles; node i is called gpu-i
  int deadline_percent = 100;
  std::function<void(api::RollCallSpec&)> spec = {};
  std::function<void(int node, std::map<std::string, std::string>&)> environment = {};
};

Range::Options options(const std::string& name, const Simulated& what) {
  Range::Options options;
  options.spec = [what](api::RollCallSpec& spec) {
    spec.nproc_per_node = spec.gpus_per_pod = kGpus;
    spec.gpu_resource = "nvidia.com/gpu";
    spec.thresholds.deadline_percent = api::Threshold{what.deadline_percent, "short, for the doubles answer at once"};
    if (what.spec) what.spec(spec);
  };
  const auto scenario = files().write(name + ".scenario", fmt::format("gpus = {}\n{}", kGpus, what.scenario));
  options.environment = [what, scenario](int node) {
    std::map<std::string, std::string> environment = {
        {"LD_LIBRARY_PATH", ROLLCALL_DOUBLES_DIR},
        {"ROLLCALL_SCENARIO", scenario},
        {"ROLLCALL_SCENARIO_NODE", fmt::format("gpu-{}", node)},
        {"ROLLCALL_GPU_RESOURCE", "nvidia.com/gpu"},
        {"ROLLCALL_GPUS", std::to_string(kGpus)},
        {"ROLLCALL_DEADLINE_PERCENT", std::to_string(what.deadline_percent)}};
    if (what.environment) what.environment(node, environment);
    return environment;
  };
  return options;
}

std::string says_that_it_is_simulated(Range& range) {
  const auto status = range.desk().status();
  return status.report && status.report->simulated ? "" : "the report does not say that the GPUs are simulated\n";
}

Fault row(const std::string& name, const std::string& what, const std::function<Truth(int nodes)>& truth,
          const Simulated& simulated) {
  Fault fault;
  fault.name = name;
  fault.what = what;
  fault.truth = truth;
  fault.options = options(name, simulated);
  fault.after = says_that_it_is_simulated;
  return fault;
}

auto always(const Truth& truth) {
  return [truth](int) { return truth; };
}

/// Held, by one finding that names gpu-2 alone.
auto gpu_2(const std::string& rule, const std::string& says) {
  return always({End::Held, {{rule, "fail", {2}, says}}});
}

std::set<int> all(int nodes) {
  std::set<int> ranks;
  for (int node = 0; node < nodes; ++node) ranks.insert(node);
  return ranks;
}

/// An interface that NCCL takes before eth0, for its name begins with ib.
void add_ib0(Range& range, const std::function<std::string(int node)>& address) {
  for (int node = 0; node < range.nodes(); ++node) {
    // Nobody is at its other end.
    range.network().at(node, "ip link add ib0 type veth peer name nowhere");
    for (const char* end : {"nowhere", "ib0"}) range.network().at(node, std::string("ip link set up dev ") + end);
    if (address) range.network().at(node, "ip address add " + address(node) + " dev ib0");
  }
}

void driver(std::vector<Fault>& faults) {
  faults.push_back(row("GpuNoFault", "none; all GPU stages", always({End::Released, {}}), {}));

  faults.push_back(row("Cuda802", "cuInit 802 on gpu-2: the fabric manager is down",
                       gpu_2("cuda/fabric-not-ready", "802"), {"[node gpu-2]\ncuda_init = 802\n"}));
  faults.push_back(row(
      "Cuda803", "cuInit 803 and NVML 18 on gpu-2: the driver was upgraded under it",
      always({End::Held, {{"cuda/driver-mismatch", "fail", {2}, "803"}, {"nvml/driver-mismatch", "fail", {2}, "18"}}}),
      {"[node gpu-2]\ncuda_init = 803\nnvml_init = 18\n"}));
  faults.push_back(row("Cuda34", "cuInit 34 on gpu-2: the stub library", gpu_2("cuda/stub-library", "34"),
                       {"[node gpu-2]\ncuda_init = 34\n"}));
  faults.push_back(row("Cuda100", "cuInit 100 on gpu-2: no device", gpu_2("cuda/no-device", "100"),
                       {"[node gpu-2]\ncuda_init = 100\n"}));
  faults.push_back(row("Cuda804", "cuInit 804 on gpu-2: a compatibility library too new",
                       gpu_2("cuda/forward-compatibility", "804"), {"[node gpu-2]\ncuda_init = 804\n"}));
  faults.push_back(row("FabricNotCompleted", "the NVLink fabric of GPU 1 of gpu-2 is in progress",
                       always({End::Released, {{"gpu/fabric", "warn", {2}, "GPU 1 with NVLink fabric state"}}}),
                       {"[node gpu-2 gpu 1]\nfabric = in progress\n"}));
  faults.push_back(row("MemoryInUse", "30 GB of GPU 1 of gpu-2 are in use before the start",
                       always({End::Released, {{"gpu/memory-in-use", "warn", {2}, "GPU 1 with"}}}),
                       {"[node gpu-2 gpu 1]\nmemory_used_mb = 30000\n"}));
  faults.push_back(row("Nvml18", "NVML 18 on gpu-2", gpu_2("nvml/driver-mismatch", "LIB_RM_VERSION_MISMATCH (18)"),
                       {"[node gpu-2]\nnvml_init = 18\n"}));
  faults.push_back(row("FewerGpus", "gpu-2 shows one GPU of two", gpu_2("gpu/not-visible", "CUDA sees 1 of the 2"),
                       {"[node gpu-2]\ngpus = 1\n"}));
  faults.push_back(row("RemapPending", "rows of GPU 1 of gpu-2 wait for a reset",
                       gpu_2("gpu/remap-pending", "GPU 1 waiting for a reset"),
                       {"[node gpu-2 gpu 1]\nremap_pending = 1\n"}));
  faults.push_back(row("RemapFailed", "rows of GPU 1 of gpu-2 could not be replaced",
                       gpu_2("gpu/remap-failed", "GPU 1"), {"[node gpu-2 gpu 1]\nremap_failed = 1\n"}));
  faults.push_back(row("GpuLost", "GPU 1 of gpu-2 fell off the bus, says NVML",
                       gpu_2("nvml/gpu-lost", "GPU 1 refused by NVML"), {"[node gpu-2 gpu 1]\nnvml_gpu = 15\n"}));
  faults.push_back(row("EccErrors", "GPU 1 of gpu-2 counts uncorrectable errors",
                       always({End::Released, {{"gpu/ecc", "warn", {2}, "GPU 1"}}}),
                       {"[node gpu-2 gpu 1]\necc_uncorrected = 3\n"}));
  faults.push_back(row("NvlinkDown", "GPU 1 of gpu-2 has 17 of its 18 NVLinks",
                       always({End::Released, {{"gpu/nvlink-down", "warn", {2}, "17"}}}),
                       {"[node gpu-2 gpu 1]\nnvlink_active = 17\n"}));
  faults.push_back(row("Throttled", "GPU 1 of gpu-2 is throttled for heat",
                       always({End::Released, {{"gpu/throttled", "warn", {2}, "GPU 1"}}}),
                       {"[node gpu-2 gpu 1]\nthrottle = 0x40\n"}));
  faults.push_back(row("DuplicateGpu", "gpu-2 shows one GPU twice", gpu_2("gpu/duplicate", "GPU-7d1f2c30"),
                       {"[node gpu-2]\nuuid = GPU-7d1f2c30-0000-4000-8000-00000000cafe\n"}));
  faults.push_back(row("CuInitHangs", "cuInit hangs on gpu-2", gpu_2("gpu/no-answer", "cuInit"),
                       {"[node gpu-2]\nhang = cuInit\n", 3}));
}

void library(std::vector<Fault>& faults) {
  faults.push_back(row("VersionSkew", "NCCL 2.21.5 on gpu-2, 2.27.5 on the others",
                       always({End::Held, {{"nccl/version", "fail", {2}, "2.21.5", {}}}}),
                       {"[node gpu-2]\nnccl_version = 22105\n"}));

  const auto plugins = files().path() + "/plugins";
  Simulated plugin;
  plugin.environment = [plugins](int node, std::map<std::string, std::string>& environment) {
    if (node == 2) environment["LD_LIBRARY_PATH"] += ":" + plugins;
  };
  faults.push_back(
      row("PluginOnOneNode", "a net plugin on gpu-2 alone", gpu_2("nccl/net-plugin", "an NCCL net plugin"), plugin));
  faults.back().make = [](Range&) { files().write("plugins/libnccl-net.so", "not a library"); };

  faults.push_back(row("IbAbsent", "NCCL finds no InfiniBand on gpu-2", gpu_2("transport/mixed", "tcp via Socket"),
                       {"[node gpu-2]\nnet = Socket\n"}));

  faults.push_back(
      row("SameAddressEverywhere", "NCCL would take ib0, which has one address on all nodes",
          [](int nodes) {
            return Truth{End::Held, {{"nccl/interface-same-address", "fail", all(nodes), "10.99.0.1 of ib0"}}};
          },
          {}));
  faults.back().make = [](Range& range) { add_ib0(range, [](int) { return "10.99.0.1/24"; }); };

  faults.push_back(row("Ipv6LinkLocalFirst", "NCCL would take ib0, which has only IPv6 link-local",
                       [](int nodes) {
                         return Truth{
                             End::Held,  // Until the kernel has probed for duplicates the address cannot even be bound.
                             {{"nccl/interface-unreachable|nccl/address-not-bindable", "fail", all(nodes), "ib0"}}};
                       },
                       {}));
  faults.back().make = [](Range& range) { add_ib0(range, {}); };
}

void collective(std::vector<Fault>& faults) {
  faults.push_back(
      row("HangInInit", "GPU 1 of gpu-2 hangs in ncclCommInitRank",
          always({End::Held,
                  {{"collective/hung", "fail", {2}, "ncclCommInitRank"}, {"collective/gpu-pair", "fail", {2}, ""}}}),
          {"[node gpu-2 gpu 1]\nhang = ncclCommInitRank\n", 5}));
  faults.push_back(
      row("AbortHangs", "GPU 1 of gpu-2 hangs in ncclCommInitRank and in ncclCommAbort",
          always({End::Held,
                  {{"collective/hung", "fail", {2}, "ncclCommInitRank"}, {"collective/gpu-pair", "fail", {2}, ""}}}),
          {"[node gpu-2 gpu 1]\nhang = ncclCommInitRank, ncclCommAbort\n", 5}));
  faults.push_back(
      row("ErrorInInit", "ncclCommInitRank fails on GPU 1 of gpu-2",
          always({End::Held,
                  {{"nccl/init-failed", "fail", {2}, "ncclCommInitRank"}, {"collective/gpu-pair", "fail", {2}, ""}}}),
          {"[node gpu-2 gpu 1]\nerror_in = ncclCommInitRank\nerror = 3\nerror_text = internal check "
           "failed\n",
           5}));
  faults.push_back(
      row("HangInAllReduce", "GPU 1 of gpu-2 hangs in ncclAllReduce",
          always({End::Held,
                  {{"collective/hung", "fail", {2}, "ncclAllReduce"}, {"collective/gpu-pair", "fail", {2}, ""}}}),
          {"[node gpu-2 gpu 1]\nhang = ncclAllReduce\n", 5}));
  faults.push_back(
      row("WrongSum", "GPU 1 of gpu-2 gives wrong sums",
          always({End::Held,
                  {{"collective/wrong-value", "fail", {2}, "wrong sum"}, {"collective/gpu-pair", "fail", {2}, ""}}}),
          {"[node gpu-2 gpu 1]\nwrong_sum = yes\n"}));
  faults.push_back(row("ChildDies", "the process of GPU 1 of gpu-2 dies in ncclAllReduce",
                       gpu_2("collective/child-died", "ncclAllReduce"), {"[node gpu-2 gpu 1]\ndie = ncclAllReduce\n"}));
  faults.push_back(row("SlowGpu", "GPU 1 of gpu-2 at a quarter of its bandwidth",
                       gpu_2("collective/slow-node", "below half of it each time"),
                       {"[node gpu-2 gpu 1]\nbus_gbytes = 107\n"}));
  faults.push_back(row("SlowerGpu", "GPU 1 of gpu-2 at three quarters of its bandwidth",
                       always({End::Released, {{"collective/slow-node", "warn", {2}, "gpu-2"}}}),
                       {"[node gpu-2 gpu 1]\nbus_gbytes = 320\n"}));

  Simulated floor{"[link gpu-1 gpu-2]\nbus_gbytes = 20\n"};
  floor.spec = [](api::RollCallSpec& spec) {
    spec.thresholds.min_bus_bandwidth_gigabytes = api::Threshold{100, "agreed for these racks"};
  };
  faults.push_back(
      row("SlowLink", "the link of gpu-1 and gpu-2 below the policy's floor",
          always({End::Held,
                  {{"collective/below-floor", "fail", {}, "reached 20 GB/s"},
                   {"collective/pair", "fail", {1, 2}, "NCCL is slower than the policy asks for between"}}}),
          floor));

  faults.push_back(row("BrokenIbLink", "RDMA between gpu-1 and gpu-2 fails, TCP works",
                       always({End::Held,
                               {{"rdma/retries-exceeded", "fail", {}, "did not acknowledge", {1, 2}},
                                {"collective/pair", "fail", {1, 2}, "With NCCL_IB_DISABLE=1 the same pair works"}}}),
                       {"[link gpu-1 gpu-2 unless NCCL_IB_DISABLE]\nerror_in = ncclAllReduce\nerror = 6\nerror_text = "
                        "NET/IB: Got completion from peer 10.78.0.3<4242> with status=12 opcode=0 len=0 vendor err 129 "
                        "(Send) hca mlx5_0\n"}));

  const auto never = files().path() + "/never";
  faults.push_back(
      row("StuckInDriver", "a process on gpu-2 waits in the driver, and SIGKILL does not end it",
          gpu_2("gpu/driver-stuck", "SIGKILL does not end it"),
          {fmt::format("[node gpu-2 gpu 1]\nstuck = ncclCommInitRank\nstuck_file = {}/never\n", never), 5}));
  faults.back().unavailable = [] {
    return ::access("/dev/fuse", R_OK | W_OK) == 0 ? "" : "a call that SIGKILL does not end needs /dev/fuse";
  };
  faults.back().keep = [never](Range&) -> std::shared_ptr<void> {
    std::filesystem::create_directory(never);
    auto mount = std::make_shared<doubles::StuckMount>(never);
    if (!mount->ok()) throw std::runtime_error(mount->why_not());
    return mount;
  };
}

}  // namespace

std::vector<Fault> gpu_faults() {
  std::vector<Fault> faults;
  driver(faults);
  library(faults);
  collective(faults);
  return faults;
}

}  // namespace rollcall::range
