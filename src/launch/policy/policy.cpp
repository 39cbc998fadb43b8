#include "launch/policy/policy.h"

#include <algorithm>
#include <utility>

#include "launch/rules/registry.h"

namespace rollcall::launch {
namespace {

void merge_threshold(const std::optional<std::int64_t>& value, const std::string& policy,
                     std::optional<api::Threshold>& merged) {
  if (value && !merged) merged = api::Threshold{*value, policy};
}

void merge(const api::RollcallPolicy& from, Policy& into) {
  for (const auto& line : from.severities) into.rules.try_emplace(line.rule, Policy::OfRule{line.severity, from.name});
  for (const auto& rule : from.never_ignore) into.never_ignore.try_emplace(rule, from.name);
  if (from.mode && !into.mode) {
    into.mode = from.mode;
    into.mode_policy = from.name;
  }
  merge_threshold(from.thresholds.min_shared_memory_mebibytes, from.name, into.thresholds.min_shared_memory_mebibytes);
  merge_threshold(from.thresholds.min_open_files, from.name, into.thresholds.min_open_files);
  merge_threshold(from.thresholds.min_bus_bandwidth_gigabytes, from.name, into.thresholds.min_bus_bandwidth_gigabytes);
  merge_threshold(from.thresholds.deadline_percent, from.name, into.thresholds.deadline_percent);
  if (into.images.registry.empty()) into.images.registry = from.images.registry;
  if (into.images.pull_secrets.empty()) into.images.pull_secrets = from.images.pull_secrets;
}

/// Beside what another policy changed of the same finding.
void note(Finding& finding, std::string words) {
  finding.policy += (finding.policy.empty() ? "" : ", ") + std::move(words);
}

/// Behind the others of its object, so that what is shown by object stays together; last where it has no others.
void put_beside(Finding finding, Findings& findings) {
  const auto same = std::find_if(findings.rbegin(), findings.rend(), [&finding](const Finding& other) {
    return other.place.file == finding.place.file && other.place.document == finding.place.document &&
           other.place.item == finding.place.item;
  });
  findings.insert(same == findings.rend() ? findings.end() : same.base(), std::move(finding));
}

std::string changed_words(std::string_view now, Severity before, const std::string& policy) {
  return std::string(now) + " instead of " + std::string(to_string(before)) + " by RollcallPolicy " + policy;
}

}  // namespace

Policy policy_for(std::span<const api::RollcallPolicy> policies, const std::map<std::string, std::string>& labels) {
  std::vector<const api::RollcallPolicy*> meant;
  for (const auto& policy : policies) {
    if (policy.namespace_selector.matches(labels)) meant.push_back(&policy);
  }
  std::sort(meant.begin(), meant.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  Policy merged;
  for (const auto* policy : meant) merge(*policy, merged);
  return merged;
}

Findings apply_policy(const Policy& policy, Findings& findings) {
  Findings off;
  Findings kept;
  kept.reserve(findings.size());
  for (auto& finding : findings) {
    const auto said = policy.rules.find(finding.rule);
    if (said == policy.rules.end()) {
      kept.push_back(std::move(finding));
      continue;
    }
    const auto& [severity, name] = said->second;
    if (!severity) {
      note(finding, changed_words("off", finding.severity, name));
      off.push_back(std::move(finding));
      continue;
    }
    if (*severity != finding.severity) {
      note(finding, changed_words(to_string(*severity), finding.severity, name));
      finding.severity = *severity;
    }
    kept.push_back(std::move(finding));
  }
  findings = std::move(kept);
  return off;
}

Findings apply_policy(const Policy& policy, Checked& checked) {
  std::vector<PassedOver> passed;
  for (PassedOver& one : checked.ignored) {
    const auto forbidden = policy.never_ignore.find(one.finding.rule);
    if (forbidden == policy.never_ignore.end()) {
      passed.push_back(std::move(one));
      continue;
    }
    note(one.finding, "not to be ignored by RollcallPolicy " + forbidden->second);
    put_beside(std::move(one.finding), checked.findings);
  }
  checked.ignored = std::move(passed);
  return apply_policy(policy, checked.findings);
}

std::vector<std::string> unknown_rules(const api::RollcallPolicy& policy) {
  std::vector<std::string> unknown;
  for (const auto& line : policy.severities)
    if (find_rule(line.rule) == nullptr) unknown.push_back(line.rule);
  for (const auto& rule : policy.never_ignore)
    if (find_rule(rule) == nullptr) unknown.push_back(rule);
  return unknown;
}

}  // namespace rollcall::launch
