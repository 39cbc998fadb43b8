#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/roll_call.h"
#include "api/rollcall_policy.h"
#include "finding/finding.h"
#include "launch/check.h"

namespace rollcall::launch {

/// What all policies together say for one namespace. Policies are read in the order of their names; the first that says
/// something about a rule or a field has the word, and is named wherever it changed something. Pull secrets are one
/// field: those of the first policy that names any. Pure.
struct Policy {
  struct OfRule {
    std::optional<Severity> severity;  ///< nullopt = Off
    std::string policy;                ///< name of the RollcallPolicy
  };
  std::map<std::string, OfRule> rules;
  std::map<std::string, std::string> never_ignore;  ///< rule, and the policy that forbids to pass it over
  std::optional<api::RollCallMode> mode;
  std::string mode_policy;  ///< who said so
  api::Thresholds thresholds;
  api::ImageSettings images;
};

/// `policies` in any order, `labels` of the namespace.
Policy policy_for(std::span<const api::RollcallPolicy> policies, const std::map<std::string, std::string>& labels);

/// Gives findings the severity that the policy wants; what it changed stands in Finding::policy. Findings of rules that
/// are Off are taken out and returned, for whoever must show that they were.
Findings apply_policy(const Policy& policy, Findings& findings);

/// The same, for whoever knows what the object's annotation passes over: what a policy forbids to pass over is a
/// finding like any other, and says which policy it is.
Findings apply_policy(const Policy& policy, Checked& checked);

/// Rules that a policy names and the catalogue does not have: misspelt, or of another version.
std::vector<std::string> unknown_rules(const api::RollcallPolicy& policy);

}  // namespace rollcall::launch
