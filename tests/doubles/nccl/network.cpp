#include "doubles/nccl/network.h"

#include <strings.h>

#include <cstdlib>
#include <sstream>

#include "doubles/nccl/log.h"
#include "doubles/scenario/scenario.h"

namespace rollcall::doubles {
namespace {

bool set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

std::vector<std::string> words(const std::string& list) {
  std::vector<std::string> out;
  std::istringstream text(list);
  for (std::string word; std::getline(text, word, ',');) {
    const auto from = word.find_first_not_of(' ');
    if (from != std::string::npos) out.push_back(word.substr(from));
  }
  return out;
}

bool is_ib(const std::string& name) { return name.starts_with("IB") || name == "SHARP"; }

std::string first_interface() {
  const auto list = find_interfaces();
  return list.empty() ? "none" : list.front().name + ":" + list.front().address.text();
}

void log_devices(const std::string& name, const Where& here) {
  const auto& scenario = Scenario::get();
  if (name == "Socket") {
    if (!set("NCCL_IB_DISABLE")) info(Subsystem::Net, "NET/IB : No device found.");
    info(Subsystem::Net, "NET/Socket : Using [0]" + first_interface());
    return;
  }
  if (name.find("ibfabric") != std::string::npos) {
    const auto provider = scenario.text("provider", here, "efa");
    const auto nics = provider == "efa" ? "32" : "1";
    info(Subsystem::Net, version_code() >= 22700
                             ? "NET/OFI Selected provider is " + provider + ", fabric is " +
                                   (provider == "efa" ? "efa-direct" : provider) + " (found " + nics + " nics)"
                             : "NET/OFI Selected Provider is " + provider + " (found " + nics + " nics)");
    return;
  }
  if (name == "gIB") info(Subsystem::Net, "NET/gIB : Initializing gIB v1.0.5");
  if (name == "FasTrak") info(Subsystem::Net, "Initializing network FasTrak, version: 1.0.17");
  if (!is_ib(name) && name != "gIB") return;
  std::string devices;
  int index = 0;
  for (const auto& device :
       words(scenario.text("devices", here, "mlx5_0:1,mlx5_1:1,mlx5_2:1,mlx5_3:1,mlx5_4:1,mlx5_5:1,mlx5_6:1,mlx5_7:1")))
    devices += " [" + std::to_string(index++) + "]" + device + "/" + scenario.text("link_layer", here, "IB") +
               (name.starts_with("IBext") ? "/SHARP" : "");
  info(Subsystem::Net,
       (name == "gIB" ? "NET/gIB : Using" : "NET/IB : Using") + devices + " [RO]; OOB " + first_interface());
}

/// Same machine to NCCL.
bool together(const PeerInfo& a, const PeerInfo& b) { return a.host_hash == b.host_hash; }

std::string way(const Network& network, const std::vector<PeerInfo>& peers, int from, int to, const char* direction) {
  const auto& a = peers[static_cast<std::size_t>(from)];
  const auto& b = peers[static_cast<std::size_t>(to)];
  const auto ends = std::to_string(from) + "[" + std::to_string(a.device) + "] -> " + std::to_string(to) + "[" +
                    std::to_string(b.device) + "] ";
  const auto& scenario = Scenario::get();
  if (!together(a, b)) {
    if (scenario.flag("mnnvl", {})) return ends + "via P2P/MNNVL";
    return ends + "[" + direction + "] via NET/" + network.name + "/0" + network.suffix;
  }
  if (set("NCCL_P2P_DISABLE")) return ends + "via SHM/direct/direct";
  return ends + (version_code() >= 22000 ? "via P2P/CUMEM" : "via P2P/IPC");
}

}  // namespace

Result choose_network(int device, int rank, const std::string& asked, Network& network) {
  const auto& scenario = Scenario::get();
  const Where here{.gpu = device, .rank = rank};
  auto name = scenario.text("net", here, "IB");
  if (const auto plugin = scenario.text("plugin", here)) {
    info(Subsystem::Net, "NET/Plugin: Loaded net plugin " + *plugin + " (v8)");
    info(Subsystem::Net, version_code() >= 22700 ? "Successfully loaded external plugin libnccl-net.so"
                                                 : "NET/Plugin: Using libnccl-net.so");
  } else {
    info(Subsystem::Net, "NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.");
  }
  if (set("NCCL_IB_DISABLE")) {
    info(Subsystem::Env, "NCCL_IB_DISABLE set by environment to 1.");
    if (is_ib(name)) name = "Socket";
  }
  std::string wanted = asked;
  if (const char* env = std::getenv("NCCL_NET"); env != nullptr) wanted = env;
  if (!wanted.empty() && strcasecmp(wanted.c_str(), "Socket") == 0) name = "Socket";
  if (!wanted.empty() && strcasecmp(wanted.c_str(), name.c_str()) != 0) {
    if (version_code() >= 22700)
      warn("net.cc:277", "Failed to initialize any NET plugin");
    else
      warn("net.cc:285", "Error: network " + wanted + " not found.");
    return kInvalidUsage;
  }
  log_devices(name, here);
  if (version_code() >= 22700) {
    info(Subsystem::Net, "Initialized NET plugin " + name);
    info(Subsystem::Net, "Assigned NET plugin " + name + " to comm");
  }
  info(Subsystem::Init, "Using network " + name);
  const bool gdr = scenario.text("gdr", here, name == "Socket" || name == "FasTrak" ? "no" : "yes") == "yes";
  network = {name, gdr ? "/GDRDMA" : ""};
  for (const auto& key : {"log", "warn"})
    if (const auto line = scenario.text(key, here)) {
      if (std::string_view(key) == "log")
        info(Subsystem::Net, *line);
      else
        warn("net.cc:1", *line);
    }
  return kSuccess;
}

void log_topology(const Network& network, const std::vector<PeerInfo>& peers, int rank) {
  const auto& scenario = Scenario::get();
  const auto& own = peers[static_cast<std::size_t>(rank)];
  const int nranks = static_cast<int>(peers.size());
  int local = 0, local_rank = 0, nodes = 0;
  for (int i = 0; i < nranks; ++i) {
    const auto& peer = peers[static_cast<std::size_t>(i)];
    if (together(own, peer)) {
      ++local;
      if (i < rank) ++local_rank;
    }
    bool first = true;
    for (int j = 0; j < i; ++j) first = first && !together(peers[static_cast<std::size_t>(j)], peer);
    nodes += first ? 1 : 0;
  }
  const auto number = [](int value) { return std::to_string(value); };
  info(Subsystem::Init, "comm 0x55cd1a0ba7b0 rank " + number(rank) + " nRanks " + number(nranks) + " nNodes " +
                            number(nodes) + " localRanks " + number(local) + " localRank " + number(local_rank) +
                            " MNNVL " + (scenario.flag("mnnvl", {}) ? "1" : "0"));
  if (scenario.flag("nvls", {.gpu = own.device}))
    info(Subsystem::Init, "NVLS multicast support is available on dev " + number(own.device) + " (NVLS_NCHANNELS 16)");
  if (nranks > 1) {
    for (const char* channel : {"00/0", "01/0"}) {
      info(Subsystem::Net,
           std::string("Channel ") + channel + " : " + way(network, peers, rank, (rank + 1) % nranks, "send"));
      info(Subsystem::Net, std::string("Channel ") + channel + " : " +
                               way(network, peers, (rank + nranks - 1) % nranks, rank, "receive"));
    }
  }
  info(Subsystem::Init, "Connected all rings");
}

Speed link_speed(const Network& network, const std::vector<PeerInfo>& peers, int rank) {
  const auto& own = peers[static_cast<std::size_t>(rank)];
  const auto& next = peers[(static_cast<std::size_t>(rank) + 1) % peers.size()];
  const bool near = together(own, next) || Scenario::get().flag("mnnvl", {});
  // What such machines show with messages of some 256 MB: H100 boards over NVLink, eight 400 Gbit/s NICs, a TCP
  // network.
  double bus = 340;
  if (near) bus = set("NCCL_P2P_DISABLE") ? 12 : 430;
  if (!near && network.name == "Socket") bus = 5;
  const Where here{.gpu = own.device, .rank = rank, .peer_node = next.node.data()};
  return {Scenario::get().real("bus_gbytes", here, bus), Scenario::get().real("small_us", here, near ? 22 : 48) * 1e-6};
}

}  // namespace rollcall::doubles
