#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "diagnosis/cause.h"
#include "roll_call/compare.h"
#include "roll_call/gpu/judge.h"
#include "roll_call/nccl/judge.h"
#include "roll_call/said.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

bool starts(const std::string& text, std::string_view with) { return text.rfind(with, 0) == 0; }

/// No other node can reach it: loopback, or valid on one link only (fe80::/10, 169.254/16).
const char* unreachable_kind(const std::string& address) {
  if (starts(address, "127.") || address == "::1") return "a loopback address";
  // fe80::/10 is fe80 to febf.
  const bool link_local = starts(address, "169.254.") || starts(address, "fe8") || starts(address, "fe9") ||
                          starts(address, "fea") || starts(address, "feb");
  return link_local ? "a link-local address" : nullptr;
}

/// What decided it, as far as it shows: the settings of the node.
std::string settings_of(const Pod& pod) {
  std::vector<std::string> set;
  if (pod.facts) {
    for (const char* name : {"NCCL_SOCKET_IFNAME", "NCCL_SOCKET_FAMILY"}) {
      if (const auto found = pod.facts->env.find(name); found != pod.facts->env.end() && !found->second.empty())
        set.push_back(fmt::format("{}={}", name, found->second));
    }
  }
  return set.empty() ? "" : " (" + listed(set) + ")";
}

std::string present(const Pod& pod) {
  std::vector<std::string> names;
  if (pod.facts) {
    for (const auto& each : pod.facts->interfaces) {
      if (each.up) names.push_back(each.name);
    }
  }
  return names.empty() ? "" : "; interfaces that are up: " + listed(names, 8);
}

bool chosen(const Pod& pod) {
  return pod.nccl && pod.nccl->interface_result == 0 && !pod.nccl->interface_forced &&
         !pod.nccl->interface_address.empty();
}

class Rules {
 public:
  explicit Rules(const Roll& roll) : roll_(roll), severity_(partial_environment(roll).empty() ? "fail" : "warn") {}

  void refused() {
    std::map<std::string, std::vector<Said>> by_cause;
    for (const Pod& pod : roll_.pods) {
      if (!pod.nccl || pod.nccl->interface_result <= 0) continue;
      const auto* cause = diagnosis::cause_of_text(pod.nccl->interface_error);
      const std::string id(cause == nullptr ? "nccl/no-interface" : cause->id);
      const std::string words = pod.nccl->interface_error.empty() ? fmt::format("result {}", pod.nccl->interface_result)
                                                                  : fmt::format("'{}'", pod.nccl->interface_error);
      by_cause[id].push_back(
          {&pod, fmt::format("NCCL {} refuses to start: {}{}{}{}", pod.nccl->version, words, settings_of(pod),
                             present(pod), cause == nullptr ? "" : "; " + std::string(cause->meaning))});
    }
    for (const auto& [id, said] : by_cause) {
      const auto* cause = diagnosis::cause_of_text(said.front().pod->nccl->interface_error);
      findings.push_back(
          finding_of(id, severity_, cause == nullptr ? "job" : std::string(cause->owner), said,
                     cause == nullptr ? "The job would fail with the same words" : std::string(cause->advice)));
    }
  }

  void unreachable() {
    if (roll_.nnodes() < 2) return;
    std::vector<Said> said;
    for (const Pod& pod : roll_.pods) {
      if (!chosen(pod)) continue;
      if (const char* kind = unreachable_kind(pod.nccl->interface_address))
        said.push_back(
            {&pod, fmt::format("NCCL {} will publish {} of {}, {}, which no other node can reach{}{}",
                               pod.nccl->version, pod.nccl->interface_address,
                               pod.nccl->interface_name.empty() ? "an unnamed interface" : pod.nccl->interface_name,
                               kind, settings_of(pod), present(pod))});
    }
    if (!said.empty())
      findings.push_back(
          finding_of("nccl/interface-unreachable", severity_, "job", said,
                     "The job would hang without a word. Set NCCL_SOCKET_IFNAME to the interface of the "
                     "pod's address (=eth0), or remove it; NCCL_SOCKET_FAMILY=AF_INET leaves out link-local "
                     "IPv6"));
  }

  /// A bridge like cni0 or docker0 has the same address on every node.
  void same_address() {
    std::map<std::string, std::vector<const Pod*>> by_address;
    for (const Pod& pod : roll_.pods) {
      if (chosen(pod) && unreachable_kind(pod.nccl->interface_address) == nullptr && pod.facts &&
          !pod.facts->boot_id.empty())
        by_address[pod.nccl->interface_address].push_back(&pod);
    }
    std::vector<Said> said;
    for (const auto& [address, pods] : by_address) {
      // Pods of one node on the host's network share its address rightly.
      const bool several = std::any_of(pods.begin(), pods.end(), [&](const Pod* each) {
        return each->facts->boot_id != pods.front()->facts->boot_id;
      });
      if (!several) continue;
      for (const Pod* pod : pods)
        said.push_back(
            {pod, fmt::format("NCCL will publish {} of {}{}", address, pod->nccl->interface_name, settings_of(*pod))});
    }
    if (!said.empty())
      findings.push_back(
          finding_of("nccl/interface-same-address", severity_, "job", said,
                     "Different nodes cannot be reached at one address: it is a bridge of each node's own. "
                     "Set NCCL_SOCKET_IFNAME to the interface of the node's address, or exclude the bridge "
                     "(^cni,docker,lo)"));
  }

  void other_names() {
    std::map<std::string, std::vector<const Pod*>> by_name;
    for (const Pod& pod : roll_.pods) {
      // What is named as unreachable already is not told a second time.
      if (chosen(pod) && !pod.nccl->interface_name.empty() && unreachable_kind(pod.nccl->interface_address) == nullptr)
        by_name[pod.nccl->interface_name].push_back(&pod);
    }
    if (by_name.size() < 2) return;
    std::vector<Group> groups;
    for (const auto& [name, pods] : by_name) groups.push_back({name, pods});
    findings.push_back({"nccl/interface-differs",
                        "warn",
                        minority(std::move(groups), "chosen as NCCL's interface ") +
                            ". That works where both networks reach each other",
                        {},
                        "job"});
  }

  void forced() {
    std::vector<Said> said;
    for (const Pod& pod : roll_.pods) {
      if (pod.nccl && pod.nccl->interface_forced) said.push_back({&pod, "NCCL_COMM_ID is set"});
    }
    if (!said.empty())
      findings.push_back(
          finding_of("nccl/comm-id-set", "warn", "job", said,
                     "It fixes NCCL's first address, so nobody can tell which interface NCCL would choose; "
                     "launchers hand it over without that variable"));
  }

  std::vector<api::NodeFinding> findings;

 private:
  const Roll& roll_;
  const char* severity_;
};

}  // namespace

std::vector<api::NodeFinding> judge_interface(const Roll& roll) {
  Rules rules(roll);
  rules.refused();
  rules.unreachable();
  rules.same_address();
  rules.other_names();
  rules.forced();
  return std::move(rules.findings);
}

}  // namespace rollcall::roll_call
