#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "roll_call/compare.h"
#include "roll_call/gpu/judge.h"
#include "roll_call/nccl/judge.h"
#include "roll_call/said.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

using Value = std::string (*)(const NcclFacts&);

bool said_before(const Roll& roll, const std::string& rule) {
  return std::any_of(roll.findings.begin(), roll.findings.end(),
                     [&](const StageFinding& each) { return each.finding.rule == rule; });
}

/// A finding when the nodes whose library was loaded do not agree; empty values agree with all.
bool differs(const Roll& roll, const char* rule, const char* severity, const char* noun, Value value,
             const char* advice, std::vector<api::NodeFinding>& findings) {
  std::map<std::string, std::vector<const Pod*>> by_value;
  for (const Pod& pod : roll.pods) {
    if (!pod.nccl || pod.nccl->version.empty()) continue;
    if (const std::string read = value(*pod.nccl); !read.empty()) by_value[read].push_back(&pod);
  }
  if (by_value.size() < 2) return false;
  if (said_before(roll, rule)) return true;
  std::vector<Group> groups;
  for (const auto& [read, pods] : by_value) groups.push_back({read, pods});
  const auto most = std::max_element(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    if (a.pods.size() != b.pods.size()) return a.pods.size() < b.pods.size();
    return a.pods.front()->node_rank > b.pods.front()->node_rank;
  });
  api::NodeFinding finding{rule, severity, "", {}, "job"};
  for (const Group& group : groups) {
    if (&group == &*most) continue;
    for (const Pod* pod : group.pods) finding.node_ranks.push_back(pod->node_rank);
  }
  std::sort(finding.node_ranks.begin(), finding.node_ranks.end());
  finding.message = minority(std::move(groups), noun) + ". " + advice;
  findings.push_back(std::move(finding));
  return true;
}

void never_ended(const Roll& roll, std::vector<api::NodeFinding>& findings) {
  std::vector<Said> stopped;
  for (const Pod& pod : roll.pods) {
    if (!pod.nccl || pod.nccl->stopped_in.empty()) continue;
    stopped.push_back({&pod, fmt::format("the probe's child had been in {}{}", without_in(pod.nccl->stopped_in),
                                         pod.nccl->stuck ? ", and SIGKILL does not end it" : " when it was killed")});
  }
  if (!stopped.empty())
    findings.push_back(finding_of("nccl/no-answer", "fail", "node", stopped,
                                  "These calls take milliseconds and touch no GPU: look at the node's disk and network "
                                  "file systems, from which the library is read"));
}

/// The library is there, but was not brought to answer anything.
void not_loadable(const Roll& roll, std::vector<api::NodeFinding>& findings) {
  std::vector<Said> broken;
  const bool certain = partial_environment(roll).empty();
  bool job = true;
  for (const Pod& pod : roll.pods) {
    if (!pod.nccl || pod.nccl->path.empty() || pod.nccl->interface_result >= 0 || pod.nccl->error.empty() ||
        !pod.nccl->stopped_in.empty() || pod.nccl->not_started || pod.nccl->cut_short)
      continue;
    broken.push_back({&pod, pod.nccl->path + ": " + pod.nccl->error});
    job = job && pod.nccl->source != "bundled";
  }
  if (broken.empty()) return;
  findings.push_back(
      finding_of("nccl/not-loadable", job && certain ? "fail" : "warn", "job", broken,
                 job ? "It is the library that the job would load: look at the image and LD_LIBRARY_PATH"
                     : "The probe's own NCCL cannot be used in this image: its collectives will not run"));
}

/// A child that was not started, or crashed, proves less than the loader's refusal.
void not_all_asked(const Roll& roll, std::vector<api::NodeFinding>& findings) {
  std::vector<Said> pods;
  for (const Pod& pod : roll.pods) {
    if (pod.nccl && (pod.nccl->not_started || pod.nccl->cut_short) && pod.nccl->stopped_in.empty())
      pods.push_back({&pod, pod.nccl->error.empty() ? "no reason given" : pod.nccl->error});
  }
  if (!pods.empty())
    findings.push_back(finding_of("nccl/not-asked", "warn", "node", pods,
                                  "What NCCL would say there is not known. The trainer loads the same library: a crash "
                                  "of it there is to be expected, unless the container's memory limit ended it"));
}

void on_some_nodes(const Roll& roll, std::vector<api::NodeFinding>& findings) {
  std::vector<Said> without;
  std::size_t with = 0;
  for (const Pod& pod : roll.pods) {
    if (!pod.nccl) continue;
    if (!pod.nccl->path.empty()) {
      ++with;
    } else if (pod.nccl->linked_statically.empty() && pod.nccl->stopped_in.empty() && !pod.nccl->cut_short) {
      without.push_back({&pod, "no libnccl was found"});
    }
  }
  if (with > 0 && !without.empty())
    findings.push_back(finding_of("nccl/on-some-nodes", "warn", "job", without,
                                  fmt::format("{} nodes have one: different images or mounts", with)));
}

}  // namespace

std::vector<api::NodeFinding> judge_library(const Roll& roll) {
  std::vector<api::NodeFinding> findings;
  never_ended(roll, findings);
  not_loadable(roll, findings);
  not_all_asked(roll, findings);
  on_some_nodes(roll, findings);
  const bool other_version = differs(
      roll, "nccl/version", "fail", "NCCL ", [](const NcclFacts& nccl) { return nccl.version; },
      "Ranks with different NCCL versions fail or hang at the first collective. Give every node the same image, by "
      "digest",
      findings);
  if (!other_version)
    differs(
        roll, "nccl/build", "fail", "the build of NCCL with id ",
        [](const NcclFacts& nccl) { return nccl.build_id.substr(0, 12); },
        "The same version built twice need not speak to each other. Give every node the same image, by digest",
        findings);
  const bool some_only = differs(
      roll, "nccl/net-plugin", "fail", "",
      [](const NcclFacts& nccl) {
        // Whoever could not read the image to its end has not seen that there is none.
        if (nccl.plugins.empty() && nccl.cut_short) return std::string();
        return std::string(nccl.plugins.empty() ? "no NCCL net plugin" : "an NCCL net plugin");
      },
      "Ranks with and without the plugin choose different transports and wait for each other. Install it on all nodes "
      "or "
      "none",
      findings);
  if (!some_only)
    differs(
        roll, "nccl/net-plugin-differs", "warn", "the NCCL net plugins ",
        [](const NcclFacts& nccl) { return listed(nccl.plugins); },
        "Different builds of a plugin as a rule work together, during a rolling upgrade for instance", findings);
  return findings;
}

std::string nccl_remark(const Roll& roll) {
  std::map<std::string, std::size_t> count;
  bool simulated = false;
  for (const Pod& pod : roll.pods) {
    if (!pod.nccl || pod.nccl->version.empty()) continue;
    simulated = simulated || pod.nccl->simulated;
    std::string words = "NCCL " + pod.nccl->version;
    if (pod.nccl->source == "bundled") words += " (the probe's own)";
    if (!pod.nccl->interface_name.empty()) words += " on " + pod.nccl->interface_name;
    ++count[words];
  }
  const auto most =
      std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == count.end() ? "" : most->first + (simulated ? " (simulated)" : "");
}

}  // namespace rollcall::roll_call
