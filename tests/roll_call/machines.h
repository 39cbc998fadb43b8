#pragma once

#include <string>

#include "roll_call/messages.h"

/// What a sound machine's child would say; tests break one thing of it.
namespace rollcall::roll_call::testing {

/// `count` H100 of a machine with NVSwitch, driver 550.
inline GpuFacts sound_gpus(int node, int count) {
  GpuFacts facts;
  facts.library = true;
  facts.library_path = "/usr/lib/x86_64-linux-gnu/libcuda.so.1";
  facts.cuda_result = 0;
  facts.init_seconds = 1.5;
  facts.cuda_version = 12040;
  facts.driver = "550.54.15";
  facts.nvml_result = 0;
  facts.torch_cuda = 12040;
  for (int i = 0; i < count; ++i) {
    GpuFact gpu;
    gpu.index = i;
    gpu.uuid = "GPU-" + std::to_string(node) + "-" + std::to_string(i);
    gpu.name = "NVIDIA H100 80GB HBM3";
    gpu.compute_major = 9;
    gpu.memory_bytes = std::int64_t{80} << 30;
    gpu.memory_used_bytes = std::int64_t{600} << 20;
    gpu.ecc_uncorrected = 0;
    gpu.remap_pending = 0;
    gpu.remap_failed = 0;
    gpu.nvlink_active = 18;
    gpu.nvlink_links = 18;
    gpu.fabric = "completed";
    facts.gpus.push_back(gpu);
  }
  return facts;
}

inline NcclFacts sound_nccl(int node) {
  NcclFacts facts;
  facts.path = "/opt/venv/lib/libnccl.so.2";
  facts.version = "2.27.5";
  facts.build_id = "aa";
  facts.source = "job";
  facts.interface_result = 0;
  facts.interface_name = "eth0";
  facts.interface_address = "10.0.0." + std::to_string(node + 1);
  facts.ibverbs = true;
  facts.ib_driver = true;
  facts.memlock_bytes = -1;
  facts.memlock_tried = true;
  return facts;
}

/// What a node says of a collective that goes well. Whoever holds rank 0 of several nodes makes the id first.
inline CollectiveState sound_collective(int node, const CollectiveOrder& order) {
  CollectiveState state;
  state.id = order.id;
  if (order.scope != CollectiveScope::Node && order.first_rank == 0 && order.unique_id.empty()) {
    state.unique_id = "00" + std::to_string(10 + order.id);
    return state;
  }
  state.done = true;
  for (std::size_t i = 0; i < order.gpus.size(); ++i) {
    RankResult rank;
    rank.rank = order.first_rank + static_cast<int>(i);
    rank.gpu = order.gpus[i];
    rank.uuid = "GPU-" + std::to_string(node) + "-" + std::to_string(rank.gpu);
    rank.bus_gbytes = 300;
    rank.network = "IB";
    rank.transport = order.scope == CollectiveScope::Node ? "nvlink" : "rdma";
    state.ranks.push_back(rank);
  }
  return state;
}

inline RdmaDevice sound_device(const std::string& name) {
  RdmaDevice device;
  device.name = name;
  device.driver = "mlx5_core";
  device.opens = true;
  device.state = "ACTIVE";
  device.physical_state = "LinkUp";
  device.link_layer = "InfiniBand";
  device.rate_gbits = 400;
  return device;
}

}  // namespace rollcall::roll_call::testing
