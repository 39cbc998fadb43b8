#include "roll_call/fabrics/fabric.h"

namespace rollcall::roll_call::testing {
namespace {

void uses(RankResult& rank, const std::string& transport, const std::string& network) {
  rank.transport = transport;
  rank.network = network;
}

/// `count` devices of this node, every rank using its own share.
void with_devices(RankResult& rank, const std::string& prefix, int count, int gpus) {
  const int each = count / gpus;
  for (int i = 0; i < each; ++i) rank.devices.push_back(prefix + std::to_string(rank.gpu * each + i) + ":1");
}

Fabric efa(const std::string& name, const std::string& network, const std::string& provider) {
  Fabric fabric;
  fabric.name = name;
  fabric.spec = [](api::RollCall& r) { r.spec.rdma_resource = "vpc.amazonaws.com/efa"; };
  fabric.nccl = [](int, NcclFacts& f) {
    for (int i = 0; i < 32; ++i) {
      RdmaDevice device = sound_device("rdmap" + std::to_string(i) + "s0");
      device.driver = "efa";
      device.link_layer = "Unspecified";
      f.rdma.push_back(device);
    }
    f.plugins = {"libnccl-net.so (sha256 0a1b2c3d)"};
    f.ibverbs = false;  // libfabric brings its own
  };
  fabric.rank = [network, provider](int, RankResult& rank) {
    uses(rank, provider == "efa" ? "rdma" : "tcp", network);
    rank.provider = provider;
    rank.gdr = provider == "efa";
    if (provider == "efa") with_devices(rank, "rdmap", 32, 8);
  };
  if (provider == "efa") {
    fabric.says = {{"Transport", "Passed: rdma via EFA, provider efa, 32 devices"}};
  } else {
    fabric.released = false;
    fabric.says = {{"Transport", "Failed: transport/tcp-though-rdma-asked"}};
    fabric.findings = {{"transport/tcp-though-rdma-asked", "provider is tcp"}};
  }
  return fabric;
}

/// A3 Mega: the profile sets NCCL's environment; eth1 to eth8 are in networks of their own.
Fabric tcpxo(const std::string& name, const std::string& partial) {
  Fabric fabric;
  fabric.name = name;
  fabric.spec = [partial](api::RollCall& r) {
    r.spec.partial_environment = partial;
    if (partial.empty()) r.spec.settings.setup = ". /usr/local/nvidia/lib64/nccl-env-profile.sh";
  };
  fabric.facts = [](int node, LocalFacts& f) {
    for (int i = 1; i <= 8; ++i)
      f.interfaces.push_back(
          {"eth" + std::to_string(i), 8244, true, {"10.1" + std::to_string(i) + "." + std::to_string(node) + ".2"}});
  };
  fabric.nccl = [](int, NcclFacts& f) {
    f.ib_driver = false;
    f.plugins = {"libnccl-net.so (sha256 99887766)"};
  };
  fabric.rank = [](int, RankResult& rank) { uses(rank, "rdma", "FasTrak"); };
  if (partial.empty()) {
    fabric.says = {{"JobCollective", "Passed"}, {"Transport", "Passed: rdma via FasTrak"}};
  } else {
    fabric.says = {{"JobCollective", "Skipped: the probe's environment is only part of the trainer's (" + partial},
                   {"Transport", "Skipped: "}};
  }
  return fabric;
}

Fabric plugin(const std::string& name, const std::string& network) {
  Fabric fabric;
  fabric.name = name;
  fabric.spec = [](api::RollCall& r) { r.spec.rdma_resource = "rdma/hca"; };
  fabric.nccl = [](int, NcclFacts& f) {
    for (int i = 0; i < 8; ++i) f.rdma.push_back(sound_device("mlx5_" + std::to_string(i)));
    f.plugins = {"libnccl-net.so (sha256 12121212)"};
  };
  fabric.rank = [network](int, RankResult& rank) {
    uses(rank, "rdma", network);
    rank.gdr = true;
    with_devices(rank, "mlx5_", 8, 8);
  };
  fabric.says = {{"Transport", "Passed: rdma via " + network + ", 8 devices"}};
  return fabric;
}

/// On the host's network sysfs shows every device of the machine: storage ports that are down, virtual functions of
/// other pods, and more of them on some nodes.
Fabric roce_on_host_network() {
  Fabric fabric = plugin("OciCoreWeaveRoce", "IB");
  fabric.spec = [](api::RollCall& r) {
    r.spec.rdma_resource = "nvidia.com/mlnxnics";
    r.spec.host_network = true;
  };
  fabric.nccl = [](int node, NcclFacts& f) {
    for (int i = 0; i < 8; ++i) {
      RdmaDevice device = sound_device("mlx5_" + std::to_string(i));
      device.link_layer = "Ethernet";
      device.gid_type = "RoCE v2";
      f.rdma.push_back(device);
    }
    RdmaDevice storage = sound_device("mlx5_bond_0");
    storage.state = "DOWN";
    storage.physical_state = "Disabled";
    storage.link_layer = "Ethernet";
    storage.gid_zero = true;
    f.rdma.push_back(storage);
    for (int i = 0; i < 2 + node; ++i) {
      RdmaDevice foreign = sound_device("mlx5_vf_" + std::to_string(i));
      foreign.opens = false;
      foreign.error = "Operation not permitted";
      foreign.state = "DOWN";
      f.rdma.push_back(foreign);
    }
  };
  return fabric;
}

/// One NVLink domain a rack: ranks have no line of the network when all are in one.
Fabric nvl72(const std::string& name, int racks) {
  Fabric fabric;
  fabric.name = name;
  fabric.gpus = 4;
  fabric.gpu = [racks](int node, GpuFacts& f) {
    for (GpuFact& gpu : f.gpus) {
      gpu.name = "NVIDIA GB200";
      gpu.compute_major = 10;
      gpu.fabric_clique = "rack-" + std::to_string(node * racks / 4);
      gpu.memory_used_bytes = gpu.memory_bytes / 10;  // page cache counts: no fault, a warning
    }
    f.torch_cuda = f.cuda_version = 12080;
  };
  fabric.nccl = [](int, NcclFacts& f) {
    for (int i = 0; i < 4; ++i) f.rdma.push_back(sound_device("mlx5_" + std::to_string(i)));
  };
  fabric.rank = [racks](int, RankResult& rank) {
    const bool border = racks > 1 && rank.gpu == 0;
    uses(rank, border ? "rdma" : "nvlink", racks > 1 ? "IB" : "");
    if (border) rank.devices = {"mlx5_0:1"};
  };
  fabric.says = {{"Transport", racks > 1 ? "Passed: nvlink + rdma via IB" : "Passed: nvlink"}};
  return fabric;
}

Fabric tcp_only(const std::string& name, int gpus, const std::string& model, bool nvlink) {
  Fabric fabric;
  fabric.name = name;
  fabric.gpus = gpus;
  fabric.gpu = [model, nvlink](int, GpuFacts& f) {
    for (GpuFact& gpu : f.gpus) {
      gpu.name = model;
      if (nvlink) continue;
      gpu.compute_major = 8;
      gpu.compute_minor = 9;
      gpu.nvlink_active = gpu.nvlink_links = -1;
      gpu.fabric = "not supported";
    }
  };
  fabric.nccl = [](int, NcclFacts& f) { f.ib_driver = false; };
  fabric.rank = [](int, RankResult& rank) {
    uses(rank, "tcp", "Socket");
    rank.devices = {"eth0"};
  };
  fabric.in_node = nvlink ? "nvlink" : "shm";
  fabric.says = {{"Gpu", "Passed"}, {"Transport", "Passed: tcp via Socket, eth0"}};
  return fabric;
}

Fabric no_collectives(const std::string& name, const std::string& resource, int gpus,
                      const std::function<void(int, GpuFacts&)>& gpu, const std::string& why) {
  Fabric fabric;
  fabric.name = name;
  fabric.resource = resource;
  fabric.gpus = gpus;
  fabric.gpu = gpu;
  for (const char* stage : {"Nccl", "NodeCollective", "JobCollective", "Transport"})
    fabric.says.push_back({stage, "Skipped: " + why});
  fabric.says.push_back({"Mesh", "Passed"});
  return fabric;
}

Fabric no_cuda(const std::string& name, const std::string& resource, int gpus, const std::string& other,
               const std::string& why) {
  Fabric fabric = no_collectives(
      name, resource, gpus,
      [other](int, GpuFacts& f) {
        f = GpuFacts{};
        f.error = "libcuda.so.1: cannot open shared object file: No such file or directory";
        f.other = other;
      },
      why);
  fabric.facts = [](int, LocalFacts& f) { f.gpus_visible = 0; };
  fabric.says.push_back({"Gpu", "Skipped: " + why});
  fabric.says.push_back({"LocalFacts", "Passed"});
  return fabric;
}

}  // namespace

std::vector<Fabric> fabrics() {
  std::vector<Fabric> rows{
      efa("EfaP5OldName", "AWS Libfabric", "efa"),
      efa("EfaP5NewName", "Libfabric", "efa"),
      efa("EfaProviderFellToTcp", "Libfabric", "tcp"),
      tcpxo("A3MegaWithSetup", ""),
      tcpxo("A3MegaProfileNotSourced", "the command sources /usr/local/nvidia/lib64/nccl-env-profile.sh"),
      tcpxo("A3MegaDaemonInAnOrdinaryContainer", "the daemon tcpxo-daemon runs in an ordinary container"),
      plugin("A3UltraGib", "gIB"),
      plugin("NdH100Hpcx", "IBext_v8"),
      plugin("NdH100Sharp", "SHARP"),
      roce_on_host_network(),
      nvl72("Nvl72OneRack", 1),
      nvl72("Nvl72TwoRacks", 2),
      tcp_only("HgxFourOfEight", 4, "NVIDIA H100 80GB HBM3", true),
      tcp_only("PcieL40s", 4, "NVIDIA L40S", false),
      no_collectives(
          "MigSevenSlices", "nvidia.com/mig-1g.10gb", 7,
          [](int, GpuFacts& f) {
            f.gpus.resize(1);  // CUDA enumerates one slice
            f.gpus[0].mig = true;
            f.gpus[0].uuid = "MIG-" + f.gpus[0].uuid;
            f.gpus[0].memory_used_bytes = f.gpus[0].memory_bytes / 2;
          },
          "nvidia.com/mig-1g.10gb is a MIG slice"),
      no_collectives(
          "TimeSlicedByName", "nvidia.com/gpu.shared", 2, [](int, GpuFacts& f) { f.gpus.resize(1); },
          "nvidia.com/gpu.shared is a shared GPU"),
      no_collectives(
          "Mps", "nvidia.com/gpu", 1,
          [](int, GpuFacts& f) {
            f.shared = true;
            f.gpus[0].memory_used_bytes = f.gpus[0].memory_bytes / 2;
          },
          "gpu-1 (node rank 0), gpu-2 (node rank 1), gpu-3 (node rank 2) and gpu-4 (node rank 3): the GPUs are shared"),
      no_cuda("Mi300xRccl", "amd.com/gpu", 8, "amd 8", "amd.com/gpu is an AMD GPU"),
      no_cuda("Gaudi", "habana.ai/gaudi", 8, "habana 8", "habana.ai/gaudi is an Intel Gaudi"),
      no_cuda("Neuron", "aws.amazon.com/neuron", 16, "neuron 16", "aws.amazon.com/neuron is an AWS Neuron device"),
      no_cuda("TpuMultislice", "google.com/tpu", 4, "tpu 4", "google.com/tpu is a TPU"),
      no_cuda("CpuGloo", "", 0, "", "the job asks for no GPU"),
  };

  Fabric time_sliced = no_collectives(
      "TimeSlicedUnderThePlainName", "nvidia.com/gpu", 1, [](int, GpuFacts& f) { f = sound_gpus(0, 1); },
      "two pods share a GPU");
  time_sliced.facts = [](int, LocalFacts& f) { f.boot_id = "one machine"; };
  rows.push_back(time_sliced);

  Fabric meshed = tcp_only("MeshedNamespaceWithNativeSidecar", 8, "NVIDIA H100 80GB HBM3", true);
  meshed.says.push_back({"Mesh", "Passed"});
  rows.push_back(meshed);

  Fabric calico = tcp_only("CalicoSlash32", 8, "NVIDIA H100 80GB HBM3", true);
  calico.facts = [](int node, LocalFacts& f) {
    // Every pod an address of its own with no subnet about it, and a gateway that is on none.
    f.interfaces = {{"eth0", 1450, true, {"10.0.0." + std::to_string(node + 1)}}};
  };
  calico.says.push_back({"Mesh", "Passed"});
  rows.push_back(calico);

  Fabric egress = tcp_only("DefaultDenyEgress", 8, "NVIDIA H100 80GB HBM3", true);
  egress.mute = {2};
  egress.released = false;
  egress.says = {{"Gathering", "Running"}};
  egress.findings = {
      {"probe/mute", "egress policy in namespace team-a? Allow TCP from the job's pods to the desk's Service"}};
  rows.push_back(egress);
  return rows;
}

}  // namespace rollcall::roll_call::testing
