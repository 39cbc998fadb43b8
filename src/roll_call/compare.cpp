#include "roll_call/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

using Pods = std::vector<const Pod*>;
using Value = std::function<std::optional<std::string>(const Pod&)>;

/// NCCL settings that two ranks must share, or the job fails or hangs (probe facts: environment). MASTER_ADDR is not
/// among them: it is handed over later, and is empty or old in a probe.
constexpr std::array kMustEqual{"NCCL_PROTO",          "NCCL_ALGO",          "NCCL_NET",
                                "NCCL_NET_PLUGIN",     "NCCL_BUFFSIZE",      "NCCL_LL_BUFFSIZE",
                                "NCCL_LL128_BUFFSIZE", "NCCL_CROSS_NIC",     "NCCL_P2P_DISABLE",
                                "NCCL_P2P_LEVEL",      "NCCL_NVLS_ENABLE",   "NCCL_CUMEM_ENABLE",
                                "NCCL_COLLNET_ENABLE", "NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS",
                                "NCCL_MIN_CTAS",       "NCCL_MAX_CTAS",      "NCCL_COMM_ID",
                                "NCCL_SOCKET_FAMILY",  "NCCL_IB_DISABLE",    "NCCL_RUNTIME_CONNECT",
                                "NCCL_PXN_DISABLE",    "MASTER_PORT",        "WORLD_SIZE"};
constexpr std::array kShouldEqual{
    "NCCL_SOCKET_IFNAME", "NCCL_IB_HCA",       "NCCL_IB_GID_INDEX",          "NCCL_IB_TC",
    "NCCL_IB_SL",         "NCCL_IB_TIMEOUT",   "NCCL_IB_QPS_PER_CONNECTION", "NCCL_TOPO_FILE",
    "NCCL_DEBUG",         "GLOO_SOCKET_IFNAME"};

std::vector<Group> grouped(const Pods& pods, const Value& value) {
  std::vector<Group> groups;
  for (const Pod* pod : pods) {
    const auto read = value(*pod);
    if (!read) continue;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& each) { return each.value == *read; });
    if (group == groups.end()) group = groups.insert(groups.end(), Group{*read, {}});
    group->pods.push_back(pod);
  }
  return groups;
}

/// Largest first; of equal ones the one with the lowest node rank counts as the majority, so that any order of answers
/// says the same.
void largest_first(std::vector<Group>& groups) {
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    if (a.pods.size() != b.pods.size()) return a.pods.size() > b.pods.size();
    return a.pods.front()->node_rank < b.pods.front()->node_rank;
  });
}

class Comparison {
 public:
  explicit Comparison(const Pods& pods) : pods_(pods) {}

  /// A finding when `value` has more than one answer. `advice` says what to do.
  bool check(const char* rule, const char* severity, const char* owner, const std::string& noun, const Value& value,
             const std::string& advice) {
    auto groups = grouped(pods_, value);
    if (groups.size() < 2) return false;
    largest_first(groups);
    api::NodeFinding finding{rule, severity, minority(groups, noun) + ". " + advice, {}, owner};
    for (std::size_t i = 1; i < groups.size(); ++i) {
      for (const Pod* pod : groups[i].pods) finding.node_ranks.push_back(pod->node_rank);
    }
    std::sort(finding.node_ranks.begin(), finding.node_ranks.end());
    findings.push_back(std::move(finding));
    return true;
  }

  std::vector<api::NodeFinding> findings;

 private:
  const Pods& pods_;
};

/// The first of that name: the probe lists libraries in the order the loader would take them.
const LibraryFact* library(const Pod& pod, std::string_view name) {
  for (const LibraryFact& each : pod.facts->libraries) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

Value version_of(const char* name) {
  return [name](const Pod& pod) -> std::optional<std::string> {
    const auto* found = library(pod, name);
    if (found == nullptr || found->version.empty()) return std::nullopt;
    return found->version;
  };
}

bool is_net_plugin(const LibraryFact& each) {
  const auto file = each.path.substr(each.path.rfind('/') + 1);
  return file.rfind("libnccl-net", 0) == 0 || each.name == "nccl-net";
}

Value env_of(const char* name) {
  return [name](const Pod& pod) -> std::optional<std::string> {
    const auto found = pod.facts->env.find(name);
    if (found == pod.facts->env.end()) return "";
    return found->second.substr(0, 80);
  };
}

/// MTU of the interface that carries the pod's address.
std::optional<std::string> mtu_of(const Pod& pod) {
  for (const auto& interface : pod.facts->interfaces) {
    const auto& addresses = interface.addresses;
    if (std::find(addresses.begin(), addresses.end(), pod.address()) != addresses.end())
      return std::to_string(interface.mtu);
  }
  return std::nullopt;
}

std::string in_mib(std::int64_t bytes) { return fmt::format("{} MiB", bytes >> 20); }

/// No library at all was found: an image without any, or one that could not be read in time (the probe tells libraries
/// all together). Nothing is proven to be absent then.
bool nothing_read(const Pod& pod) { return pod.facts->libraries.empty(); }

void compare_libraries(Comparison& comparison) {
  const bool other_version = comparison.check("nccl/version", "fail", "job", "NCCL ", version_of("nccl"),
                                              "Ranks with different NCCL versions fail or hang at the first "
                                              "collective. Give every node the same image, by digest");
  if (!other_version) {
    comparison.check(
        "nccl/build", "fail", "job", "the build of NCCL with id ",
        [](const Pod& pod) -> std::optional<std::string> {
          const auto* found = library(pod, "nccl");
          if (found == nullptr || found->build_id.empty()) return std::nullopt;
          return found->build_id.substr(0, 16);
        },
        "The version is the same, the file is not. Give every node the same image, by digest");
  }
  comparison.check(
      "nccl/on-some-nodes", "warn", "job", "",
      [](const Pod& pod) -> std::optional<std::string> {
        if (nothing_read(pod)) return std::nullopt;
        return library(pod, "nccl") != nullptr ? "a libnccl in the image" : "no libnccl in the image";
      },
      "A library that is found on some nodes only points to different images or mounts");
  comparison.check(
      "nccl/net-plugin", "fail", "job", "",
      [](const Pod& pod) -> std::optional<std::string> {
        if (nothing_read(pod)) return std::nullopt;
        const auto& all = pod.facts->libraries;
        return std::any_of(all.begin(), all.end(), is_net_plugin) ? "an NCCL net plugin" : "no NCCL net plugin";
      },
      "Ranks with and without the plugin choose different transports and wait for each other. Install it on all nodes "
      "or none");
  comparison.check("torch/version", "warn", "job", "torch ", version_of("torch"),
                   "Give every node the same image, by digest");
  comparison.check("cuda/runtime", "warn", "job", "the CUDA runtime ", version_of("cudart"),
                   "Give every node the same image, by digest");
}

void warn_of_several_nccl(const Pods& pods, std::vector<api::NodeFinding>& findings) {
  Pods several;
  std::set<std::string> versions;
  for (const Pod* pod : pods) {
    std::set<std::string> here;
    for (const auto& each : pod->facts->libraries) {
      if (each.name == "nccl" && !each.version.empty()) here.insert(each.version);
    }
    if (here.size() < 2) continue;
    several.push_back(pod);
    versions.insert(here.begin(), here.end());
  }
  if (several.empty()) return;
  api::NodeFinding finding{
      "nccl/several-versions",
      "warn",
      fmt::format("{} of {} nodes {} more than one NCCL in the image ({}): which one is loaded depends on "
                  "LD_LIBRARY_PATH and on torch's own copy. Keep one",
                  several.size(), pods.size(), several.size() == 1 ? "has" : "have",
                  listed(std::vector<std::string>(versions.begin(), versions.end()))),
      {},
      "job"};
  for (const Pod* pod : several) finding.node_ranks.push_back(pod->node_rank);
  findings.push_back(std::move(finding));
}

void compare_environment(Comparison& comparison) {
  for (const char* name : kMustEqual) {
    comparison.check("env/must-be-equal", "fail", "job", std::string(name) + "=", env_of(name),
                     fmt::format("{} must be the same in every rank: set it in the template, or nowhere", name));
  }
  for (const char* name : kShouldEqual) {
    comparison.check("env/should-be-equal", "warn", "job", std::string(name) + "=", env_of(name),
                     fmt::format("{} is usually the same in every rank", name));
  }
}

void compare_nodes(Comparison& comparison) {
  comparison.check(
      "node/architecture", "warn", "cluster", "architecture ", [](const Pod& pod) { return pod.facts->architecture; },
      "Select one architecture by nodeSelector if the image does not serve both");
  comparison.check(
      "node/kernel", "warn", "cluster", "kernel ", [](const Pod& pod) { return pod.facts->kernel; },
      "That alone breaks nothing");
  comparison.check("node/mtu", "warn", "network", "MTU ", mtu_of, "The mesh stage shows whether large packets pass");
  comparison.check(
      "node/shm", "warn", "job", "/dev/shm of ", [](const Pod& pod) { return in_mib(pod.facts->shm_bytes); },
      "A node with less may run out of shared memory where the others do not");
  comparison.check(
      "node/nofile", "warn", "cluster", "an open-file limit of ",
      [](const Pod& pod) { return std::to_string(pod.facts->nofile); },
      "NCCL opens several files a peer; the lowest limit counts");
  comparison.check(
      "nccl/conf-files", "warn", "cluster", "NCCL configuration ",
      [](const Pod& pod) {
        std::string all;
        for (const auto& [path, hash] : pod.facts->conf_files)
          all += (all.empty() ? "" : ", ") + path + " (" + hash.substr(0, 8) + ")";
        return all.empty() ? std::string("files: none") : all;
      },
      "Settings in these files count like environment");
}

}  // namespace

std::string minority(std::vector<Group> groups, const std::string& noun) {
  largest_first(groups);
  std::size_t all = 0;
  for (const Group& group : groups) all += group.pods.size();
  const auto valued = [&](const Group& group) {
    if (!group.value.empty()) return noun + group.value;
    // "NCCL_PROTO=" of an unset variable.
    return noun.empty()         ? std::string("none")
           : noun.back() == '=' ? noun.substr(0, noun.size() - 1) + " unset"
                                : "no " + noun;
  };
  std::string out;
  for (std::size_t i = 1; i < groups.size(); ++i) {
    if (i == 5 && groups.size() > 6) {  // every node another value: name four, count the rest
      out += fmt::format("{} other values; ", groups.size() - i);
      break;
    }
    const Group& group = groups[i];
    const char* verb = group.pods.size() == 1 ? "has" : "have";
    const std::string count =
        i == 1 ? fmt::format("{} of {} nodes", group.pods.size(), all) : std::to_string(group.pods.size());
    out += fmt::format("{} {} {}: {}; ", count, verb, valued(group), listed(group.pods, node_or_pod));
  }
  const Group& most = groups.front();
  out += fmt::format("the other {} {}", most.pods.size() == 1 ? "one" : std::to_string(most.pods.size()),
                     most.pods.size() == 1 ? "has " : "have ");
  return out + valued(most);
}

std::vector<api::NodeFinding> compare(const std::vector<const Pod*>& pods) {
  Comparison comparison(pods);
  compare_libraries(comparison);
  compare_environment(comparison);
  compare_nodes(comparison);
  warn_of_several_nccl(pods, comparison.findings);
  return std::move(comparison.findings);
}

}  // namespace rollcall::roll_call
