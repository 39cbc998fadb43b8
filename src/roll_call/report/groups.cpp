#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/printable.h"
#include "roll_call/report/parts.h"

namespace rollcall::roll_call::report_parts {
namespace {

/// Values listed of one kind; what is rarer is counted together. 16 kinds of 8 values with 64 ranks are 60 KiB.
constexpr std::size_t kMaxValues = 8;
constexpr std::size_t kMaxRanks = 64;
constexpr std::size_t kMaxValue = 120;

using Value = std::string (*)(const Pod&);  ///< empty = not known of this node

std::string library_version(const Pod& pod, std::string_view name) {
  if (!pod.facts) return {};
  for (const auto& each : pod.facts->libraries) {
    if (each.name == name) return each.version;  // in the order the loader would take them
  }
  return {};
}

std::string nccl(const Pod& pod) {
  if (pod.nccl && !pod.nccl->version.empty())
    return pod.nccl->version + (pod.nccl->source == "bundled" ? " (bundled)" : "");
  return library_version(pod, "nccl");
}

std::string nccl_build(const Pod& pod) { return pod.nccl ? pod.nccl->build_id.substr(0, 12) : std::string(); }

std::string plugins(const Pod& pod) {
  if (!pod.nccl) return {};
  std::string all;
  for (const auto& each : pod.nccl->plugins) {
    if (!all.empty()) all += ", ";
    all += each;
  }
  return all.empty() ? "none" : all;
}

std::string interface(const Pod& pod) {
  if (!pod.nccl) return {};
  if (!pod.nccl->interface_name.empty()) return pod.nccl->interface_name;
  return pod.nccl->interface_error.empty() ? pod.nccl->interface_address : "none: " + pod.nccl->interface_error;
}

std::string rdma(const Pod& pod) {
  if (!pod.nccl) return {};
  // Ports of other uses stand in sysfs too: only what opens here counts.
  std::size_t count = 0;
  const RdmaDevice* first = nullptr;
  for (const auto& each : pod.nccl->rdma) {
    if (!each.opens) continue;
    ++count;
    if (first == nullptr) first = &each;
  }
  if (first == nullptr) return "none opens here";
  return fmt::format("{} x {}{}", count, first->link_layer,
                     first->rate_gbits > 0 ? fmt::format(" {} Gb/s", first->rate_gbits) : "");
}

std::string cuda_text(int version) {
  return version > 0 ? fmt::format("{}.{}", version / 1000, version % 1000 / 10) : std::string();
}

/// MTU of the interface that carries the pod's address.
std::string mtu(const Pod& pod) {
  if (!pod.facts) return {};
  for (const auto& each : pod.facts->interfaces) {
    if (std::find(each.addresses.begin(), each.addresses.end(), pod.address()) != each.addresses.end())
      return fmt::format("{} ({})", each.mtu, each.name);
  }
  return {};
}

struct Kind {
  const char* what;
  Value value;
};

constexpr Kind kKinds[] = {
    {"GPUs", gpus_of},
    {"Driver", [](const Pod& pod) { return pod.gpu ? pod.gpu->driver : std::string(); }},
    {"CUDA of the driver", [](const Pod& pod) { return pod.gpu ? cuda_text(pod.gpu->cuda_version) : std::string(); }},
    {"CUDA of torch", [](const Pod& pod) { return pod.gpu ? cuda_text(pod.gpu->torch_cuda) : std::string(); }},
    {"torch", [](const Pod& pod) { return library_version(pod, "torch"); }},
    {"NCCL", nccl},
    {"NCCL build id", nccl_build},
    {"NCCL net plugin", plugins},
    {"Interface NCCL takes", interface},
    {"RDMA devices", rdma},
    {"Transport", transport_of},
    {"MTU", mtu},
    {"/dev/shm",
     [](const Pod& pod) { return pod.facts ? fmt::format("{} MiB", pod.facts->shm_bytes >> 20) : std::string(); }},
    {"Kernel", [](const Pod& pod) { return pod.facts ? pod.facts->kernel : std::string(); }},
    {"Architecture", [](const Pod& pod) { return pod.facts ? pod.facts->architecture : std::string(); }},
};

struct Found {
  std::string value;
  std::vector<int> node_ranks;
};

void add(const Kind& kind, const Roll& roll, std::vector<api::ReportGroup>& out) {
  std::unordered_map<std::string, std::size_t> index;
  std::vector<Found> found;
  for (const Pod& pod : roll.pods) {
    std::string value = clipped(kind.value(pod), kMaxValue);
    if (value.empty()) continue;
    const auto [at, fresh] = index.try_emplace(value, found.size());
    if (fresh) found.push_back({std::move(value), {}});
    found[at->second].node_ranks.push_back(pod.node_rank);
  }
  // Of equal ones the one with the lowest node rank is the majority, as in the findings.
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.node_ranks.size() > b.node_ranks.size(); });
  const auto emit = [&](std::string value, std::vector<int> ranks, bool minority) {
    api::ReportGroup group{kind.what, std::move(value), static_cast<int>(ranks.size()), minority, {}};
    if (minority) {
      if (ranks.size() > kMaxRanks) ranks.resize(kMaxRanks);
      group.node_ranks = std::move(ranks);
    }
    out.push_back(std::move(group));
  };
  const std::size_t shown = found.size() > kMaxValues ? kMaxValues - 1 : found.size();
  for (std::size_t i = 0; i < shown; ++i) emit(found[i].value, std::move(found[i].node_ranks), i > 0);
  if (shown == found.size()) return;
  std::vector<int> rest;
  for (std::size_t i = shown; i < found.size(); ++i)
    rest.insert(rest.end(), found[i].node_ranks.begin(), found[i].node_ranks.end());
  std::sort(rest.begin(), rest.end());
  emit(fmt::format("{} other values", found.size() - shown), std::move(rest), true);
}

}  // namespace

std::string gpus_of(const Pod& pod) {
  if (!pod.gpu || pod.gpu->gpus.empty()) return {};
  const auto& gpus = pod.gpu->gpus;
  const bool same =
      std::all_of(gpus.begin(), gpus.end(), [&](const auto& each) { return each.name == gpus.front().name; });
  return fmt::format("{} x {}{}", gpus.size(), same ? gpus.front().name : "several models",
                     gpus.front().mig ? " (MIG)" : "");
}

std::string transport_of(const Pod& pod) {
  std::string all;
  for (const auto& rank : pod.job_ranks) {
    if (rank.transport.empty()) continue;
    std::string text = rank.transport;
    if (!rank.network.empty()) text += " by " + rank.network;
    if (!rank.provider.empty()) text += " (" + rank.provider + ")";
    if (all.empty())
      all = std::move(text);
    else if (all != text)
      return "several in one node";
  }
  return all;
}

std::vector<api::ReportGroup> groups(const Roll& roll) {
  std::vector<api::ReportGroup> out;
  for (const Kind& kind : kKinds) add(kind, roll, out);
  return out;
}

}  // namespace rollcall::roll_call::report_parts
