#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "api/training_job.h"
#include "base/result.h"
#include "finding/finding.h"

/// RollcallPolicy, cluster-scoped: what the owner of a cluster wants otherwise than the defaults, for the namespaces a
/// selector names.
namespace rollcall::api {

/// A label selector as Kubernetes has it. Empty selects everything.
struct LabelSelector {
  struct Expression {
    std::string key;
    std::string op;  ///< In, NotIn, Exists, DoesNotExist
    std::vector<std::string> values;
  };
  std::map<std::string, std::string> match_labels;
  std::vector<Expression> match_expressions;

  /// As Kubernetes decides: a label that is not there is NotIn everything.
  bool matches(const std::map<std::string, std::string>& labels) const;
};

struct RuleSeverity {
  std::string rule;                  ///< an id of the catalogue; one it does not have changes nothing
  std::optional<Severity> severity;  ///< nullopt = Off: the rule is not asked
};

/// What every node is asked for; absent = not judged.
struct PolicyThresholds {
  std::optional<std::int64_t> min_shared_memory_mebibytes;
  std::optional<std::int64_t> min_open_files;
  std::optional<std::int64_t> min_bus_bandwidth_gigabytes = {};
  std::optional<std::int64_t> deadline_percent = {};
};

/// What the containers that Rollcall puts into pods are pulled from.
struct ImageSettings {
  std::string registry;                   ///< replaces the registry of the probe's image; empty = as installed
  std::vector<std::string> pull_secrets;  ///< names of Secrets in the job's namespace, added to the pod's
};

struct RollcallPolicy {
  std::string name;
  LabelSelector namespace_selector;
  std::vector<RuleSeverity> severities;
  std::optional<RollCallMode> mode;  ///< in place of the job's own
  PolicyThresholds thresholds;
  ImageSettings images;
  std::vector<std::string> never_ignore;  ///< rules that a job's annotation cannot pass over
};

/// Reads a policy as the API server stores it. An Error names the field; unknown fields are passed over, unknown words
/// of an enum and unknown operators are not: half a policy would be another policy.
Result<RollcallPolicy> rollcall_policy_from(const nlohmann::json& object);

}  // namespace rollcall::api
