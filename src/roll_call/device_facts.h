#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// What a node's GPUs, NCCL and RDMA devices say of themselves, read by the probe's child in the job's own image and
/// environment. Plain values, part of an Answer (messages.h). A text that is empty and a number that is -1 were not
/// read; why stands in the fields `error` and `detail`.
namespace rollcall::roll_call {

/// GPUs one node may report: 16 in the largest machines sold, MIG gives 7 of each of 8.
inline constexpr std::size_t kMaxGpus = 64;

/// One device that CUDA shows the process, in CUDA's order.
struct GpuFact {
  int index = 0;
  std::string uuid;  ///< "GPU-…", "MIG-…"
  std::string name;  ///< "NVIDIA H100 80GB HBM3"
  std::string pci;   ///< "0000:1b:00.0"
  int compute_major = 0;
  int compute_minor = 0;
  bool mig = false;
  std::int64_t memory_bytes = -1;
  std::int64_t memory_used_bytes = -1;
  std::int64_t ecc_uncorrected = -1;  ///< volatile, since the driver was loaded
  int remap_pending = -1;             ///< rows wait for a reset of the GPU
  int remap_failed = -1;
  int nvlink_active = -1;  ///< links up; -1 = the device has none or NVML does not say
  int nvlink_links = -1;   ///< links the device has
  std::string fabric;      ///< "", "not supported", "not started", "in progress", "completed", "unhealthy: …"
  std::string fabric_clique;
  /// NVML's clocks event reasons that were set in both of two samples, two seconds apart; 0 = none.
  std::uint64_t throttle = 0;
  int nvml_result = 0;  ///< of the first call about it that NVML refused; 0 = none
  std::string error;    ///< which call that was, and NVML's words

  bool operator==(const GpuFact&) const = default;
};

/// What CUDA and NVML say here.
struct GpuFacts {
  bool simulated = false;    ///< a double of the tests stands in for a library
  bool library = false;      ///< libcuda.so.1 could be loaded
  std::string library_path;  ///< where from
  int cuda_result = -1;      ///< of cuInit; -1 = not called
  std::string cuda_name;     ///< "CUDA_ERROR_SYSTEM_NOT_READY"
  double init_seconds = 0;   ///< cuInit's own time
  int cuda_version = 0;      ///< of the driver: 12040
  std::string driver;        ///< "550.54.15"
  int nvml_result = -1;      ///< of nvmlInit; -1 = not called
  std::string nvml_name;     ///< "DRIVER_LIBRARY_VERSION_MISMATCH"
  int torch_cuda = 0;        ///< CUDA that the image's torch was built for: 12040; 0 = no torch, or not readable
  int visible_devices = -1;  ///< entries of CUDA_VISIBLE_DEVICES; -1 = unset
  bool shared = false;       ///< MPS or a time-sliced replica, as far as it shows
  std::vector<GpuFact> gpus;
  /// When the child could not end: its last step and for how long ("in cuInit for 120 s"). `stuck` = SIGKILL did not
  /// end it: a driver call that the kernel cannot interrupt.
  std::string stopped_in;
  bool stuck = false;
  bool not_started = false;  ///< the child could not be started here (no glibc, noexec, seccomp …): `error` says why
  bool cut_short = false;    ///< it ended by itself before it had told all (a signal, a status): `error` says how
  std::string cut_in;        ///< the step that was then: "cuInit"
  std::string error;         ///< a sentence: no such library, the child cannot run in this image …
  std::string other;  ///< accelerators of another maker that stand here: "amd 8", "habana 8", "neuron 16", "tpu 4"

  bool operator==(const GpuFacts&) const = default;
};

/// One RDMA device as sysfs and verbs show it in the container.
struct RdmaDevice {
  std::string name;            ///< "mlx5_0", "rdmap16s27"
  std::string driver;          ///< "mlx5_core", "efa", "" = not readable
  bool opens = false;          ///< its uverbs device node can be opened here
  std::string error;           ///< errno's words when it cannot
  std::string state;           ///< of port 1: "ACTIVE", "DOWN", "INIT"
  std::string physical_state;  ///< "LinkUp", "Disabled", "Polling"
  std::string link_layer;      ///< "InfiniBand", "Ethernet"
  int rate_gbits = 0;          ///< 400
  std::string gid_type;        ///< of the chosen index: "RoCE v2"; empty for InfiniBand
  bool gid_zero = false;       ///< the chosen GID index is empty
  /// Port 1 is among the devices that NCCL's log names ("NET/IB : Using [0]mlx5_0:1/RoCE"), at the Nccl stage or in a
  /// collective of this round. It names ports that are up, and only when a communicator is made: of a pod without any
  /// that is listed, nothing is known.
  bool listed_by_nccl = false;

  bool operator==(const RdmaDevice&) const = default;
};
inline constexpr std::size_t kMaxRdmaDevices = 64;  // EFA machines show 32

/// What the job's own libnccl says before any GPU work.
struct NcclFacts {
  bool simulated = false;
  std::string path;     ///< the file that was loaded; empty = none found
  std::string version;  ///< "2.27.5", of ncclGetVersion
  std::string build_id;
  std::string source;                ///< "job", or "bundled" (rollCall.nccl: Bundled)
  std::string linked_statically;     ///< the library that carries it, when NCCL is linked into torch
  std::vector<std::string> plugins;  ///< net plugin files: "libnccl-net.so (sha256 1234abcd)"
  int interface_result = -1;         ///< of ncclGetUniqueId
  std::string interface_error;       ///< NCCL's own words when it failed
  std::string interface_name;        ///< "eth0"; empty when the address is of no interface here
  std::string interface_address;     ///< what NCCL will publish; empty = layout not known
  bool interface_forced = false;     ///< NCCL_COMM_ID decides
  std::vector<RdmaDevice> rdma;      ///< devices in sysfs, sorted by name
  bool ibverbs = false;              ///< libibverbs.so.1 is in the image
  bool ib_driver = true;             ///< /sys/class/infiniband has anything
  std::int64_t memlock_bytes = 0;    ///< soft limit; -1 = unlimited
  bool memlock_tried = false;        ///< 64 MiB were locked for a moment
  int numa_errno = 0;                ///< of get_mempolicy; 0 = allowed
  std::string fidelity;              ///< empty = the job's environment; else "partial: why"
  std::string stopped_in;            ///< as in GpuFacts
  bool stuck = false;
  bool not_started = false;  ///< as in GpuFacts
  /// As in GpuFacts, or the image's files could not all be read: what is missing is not known to be absent.
  bool cut_short = false;
  std::string error;

  bool operator==(const NcclFacts&) const = default;
};

}  // namespace rollcall::roll_call
