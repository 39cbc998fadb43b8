#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "roll_call/gpu/judge.h"
#include "roll_call/nccl/judge.h"
#include "roll_call/said.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

/// What the probe locks for a moment; a queue pair and its buffers need some MiB, a job of many peers tens of them.
constexpr std::int64_t kLockedMemory = 64 << 20;

using Devices = std::vector<const RdmaDevice*>;

Devices those(const Pod& pod, const std::function<bool(const RdmaDevice&)>& is) {
  Devices found;
  for (const RdmaDevice& each : pod.nccl->rdma) {
    if (is(each)) found.push_back(&each);
  }
  return found;
}

std::string names(const Devices& devices) {
  return listed_of(devices.size(), [&](std::size_t i) { return devices[i]->name; });
}

bool active(const RdmaDevice& each) { return each.state == "ACTIVE"; }

/// In sysfs every device of the host may show (the host's network, storage, virtual functions of other pods): only what
/// can be opened here is this pod's, and of that only what NCCL lists is NCCL's, once it has said so.
Devices of_this_pod(const Pod& pod) {
  Devices listed_ones = those(pod, [](const RdmaDevice& each) { return each.opens && each.listed_by_nccl; });
  return !listed_ones.empty() ? listed_ones : those(pod, [](const RdmaDevice& each) { return each.opens; });
}

/// One clause and its owner: why NCCL cannot use RDMA here though the pod asks for it.
struct Why {
  const char* rule;
  const char* owner;
  std::string what;
  const char* advice;
};

std::optional<Why> why_none(const Pod& pod) {
  const NcclFacts& nccl = *pod.nccl;
  if (!nccl.ib_driver)
    return Why{"rdma/no-driver", "node", "the node has no RDMA driver loaded (/sys/class/infiniband is empty)",
               "Load it on the node: lsmod | grep -e mlx5_ib -e efa, and the driver's DaemonSet"};
  if (nccl.rdma.empty()) return std::nullopt;  // could not be read: what the collective chooses will show it
  const Devices mine = of_this_pod(pod);
  if (mine.empty())
    return Why{"rdma/not-openable", "cluster",
               fmt::format("none of {} can be opened in the container ({})",
                           counted(nccl.rdma.size(), "RDMA device", "RDMA devices"), nccl.rdma.front().error),
               "Look at the device plugin for the RDMA resource, and at /dev/infiniband in the container"};
  if (!nccl.ibverbs && nccl.plugins.empty())
    return Why{"rdma/no-libibverbs", "job", "the image has no libibverbs.so.1, through which NCCL uses RDMA",
               "Install it in the image: apt-get install libibverbs1 ibverbs-providers"};
  if (std::any_of(mine.begin(), mine.end(),
                  [](const RdmaDevice* each) { return active(*each) || each->state.empty(); }))
    return std::nullopt;
  const bool init = std::all_of(mine.begin(), mine.end(), [](const RdmaDevice* each) { return each->state == "INIT"; });
  if (init)
    return Why{"rdma/port-init", "network",
               fmt::format("{} wait in state INIT: link, but no subnet manager", names(mine)),
               "Look at the subnet manager (opensm, UFM): it must reach these ports: ibstat on the node"};
  return Why{"rdma/port-down", "network",
             fmt::format("{}: {}, {}", names(mine), mine.front()->state, mine.front()->physical_state),
             "Look at cable, transceiver and switch port: ibstat on the node"};
}

class Rules {
 public:
  explicit Rules(const Roll& roll)
      : roll_(roll), certain_(!roll.spec.rdma_resource.empty() && partial_environment(roll).empty()) {}

  void none_usable() {
    if (roll_.spec.rdma_resource.empty()) return;  // devices of the host prove nothing about this job
    std::vector<std::pair<Why, std::vector<Said>>> by_rule;
    for (const Pod& pod : roll_.pods) {
      if (!pod.nccl) continue;
      const auto why = why_none(pod);
      if (!why) continue;
      auto group = std::find_if(by_rule.begin(), by_rule.end(),
                                [&](const auto& each) { return std::string_view(each.first.rule) == why->rule; });
      if (group == by_rule.end()) group = by_rule.insert(by_rule.end(), {*why, {}});
      group->second.push_back({&pod, why->what});
    }
    for (const auto& [why, said] : by_rule)
      findings.push_back(finding_of(why.rule, certain_ ? "fail" : "warn", why.owner, said,
                                    fmt::format("The pod asks for {}, and NCCL would fall back to TCP. {}",
                                                roll_.spec.rdma_resource, why.advice)));
  }

  void empty_gid() {
    std::vector<Said> said;
    for (const Pod& pod : roll_.pods) {
      if (!pod.nccl) continue;
      const Devices mine = of_this_pod(pod);
      const auto is_empty = [](const RdmaDevice* each) {
        return each->gid_zero && each->link_layer == "Ethernet" && active(*each);
      };
      if (!mine.empty() && std::all_of(mine.begin(), mine.end(), is_empty))
        said.push_back({&pod, "the GID at the chosen index is empty on " + names(mine)});
    }
    if (!said.empty())
      findings.push_back(
          finding_of("rdma/gid-empty", certain_ ? "fail" : "warn", "job", said,
                     "RoCE cannot address a peer with it: leave NCCL_IB_GID_INDEX unset (NCCL 2.21 and later "
                     "choose), or take the index that show_gids names RoCE v2 with the pod's address"));
  }

  void locked_memory() {
    if (roll_.spec.rdma_resource.empty()) return;
    std::vector<Said> said;
    for (const Pod& pod : roll_.pods) {
      // Where the library was not asked the child may not have run, and nothing was tried.
      if (!pod.nccl || pod.nccl->interface_result < 0 || pod.nccl->memlock_tried) continue;
      if (pod.nccl->memlock_bytes >= 0 && pod.nccl->memlock_bytes < kLockedMemory)
        said.push_back(
            {&pod, fmt::format("64 MiB could not be locked, the limit is {} KiB", pod.nccl->memlock_bytes >> 10)});
    }
    if (!said.empty())
      findings.push_back(
          finding_of("rdma/memlock", certain_ ? "fail" : "warn", "cluster", said,
                     "RDMA locks the memory it registers (\"Cannot allocate memory\" in ibv_reg_mr). Raise "
                     "LimitMEMLOCK of the container runtime, or give the container IPC_LOCK and run it as "
                     "root"));
  }

  std::vector<api::NodeFinding> findings;

 private:
  const Roll& roll_;
  bool certain_;
};

}  // namespace

std::vector<api::NodeFinding> judge_rdma(const Roll& roll) {
  Rules rules(roll);
  rules.none_usable();
  rules.empty_gid();
  rules.locked_memory();
  return std::move(rules.findings);
}

}  // namespace rollcall::roll_call
