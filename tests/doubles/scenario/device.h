#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// The GPUs that the scenario gives this node, as both libcuda and libnvidia-ml must tell them.
namespace rollcall::doubles {

struct Gpu {
  int index = 0;  ///< of the machine, not of CUDA's visible ones
  std::string name;
  std::string uuid;  ///< "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" or "MIG-…"
  std::string pci;   ///< "0000:1b:00.0"
  int major = 9, minor = 0;
  bool mig = false;
  std::int64_t memory_bytes = 0;
  std::int64_t used_bytes = 0;
};

/// All of the machine.
std::vector<Gpu> machine_gpus();
/// Those that CUDA_VISIBLE_DEVICES leaves, in its order: indices or UUIDs (a beginning suffices), ended by the first
/// entry that names none, as CUDA does.
std::vector<Gpu> visible_gpus();
/// The 16 bytes that a UUID's text stands for.
std::vector<unsigned char> uuid_bytes(const std::string& uuid);

}  // namespace rollcall::doubles
