#include "api/rollcall_policy.h"

#include <algorithm>

#include "api/training_job_codec.h"

namespace rollcall::api {
namespace {

/// The API's words: CamelCase like every enum of ours. `Off` is no severity of a finding.
enum class SeverityWord { Deny, Warn, Info, Off };

std::optional<SeverityWord> severity_word_from(std::string_view text) {
  if (text == "Deny") return SeverityWord::Deny;
  if (text == "Warn") return SeverityWord::Warn;
  if (text == "Info") return SeverityWord::Info;
  if (text == "Off") return SeverityWord::Off;
  return std::nullopt;
}

std::optional<Severity> severity_of(SeverityWord word) {
  switch (word) {
    case SeverityWord::Deny:
      return Severity::deny;
    case SeverityWord::Warn:
      return Severity::warn;
    case SeverityWord::Info:
      return Severity::info;
    case SeverityWord::Off:
      break;
  }
  return std::nullopt;
}

struct RuleLine {
  std::string rule;
  SeverityWord severity = SeverityWord::Off;
};

struct PolicySpec {
  LabelSelector namespace_selector;
  std::vector<RuleLine> severities;
  std::optional<RollCallMode> mode;
  PolicyThresholds thresholds;
  ImageSettings images;
  std::vector<std::string> never_ignore;
};

bool has_value(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool holds(const LabelSelector::Expression& expression, const std::map<std::string, std::string>& labels) {
  const auto label = labels.find(expression.key);
  const bool there = label != labels.end();
  if (expression.op == "Exists") return there;
  if (expression.op == "DoesNotExist") return !there;
  const bool in = there && has_value(expression.values, label->second);
  return expression.op == "NotIn" ? !in : in;
}

std::optional<Error> out_of_range(const PolicySpec& spec) {
  for (std::size_t i = 0; i < spec.namespace_selector.match_expressions.size(); ++i) {
    const auto& op = spec.namespace_selector.match_expressions[i].op;
    if (op == "In" || op == "NotIn" || op == "Exists" || op == "DoesNotExist") continue;
    return Error{"spec.namespaceSelector.matchExpressions[" + std::to_string(i) + "].operator: `" + op +
                     "` is none of In, NotIn, Exists, DoesNotExist",
                 "Invalid"};
  }
  const auto& thresholds = spec.thresholds;
  for (const auto& [name, value] : {std::pair("minSharedMemoryMebibytes", thresholds.min_shared_memory_mebibytes),
                                    std::pair("minOpenFiles", thresholds.min_open_files),
                                    std::pair("minBusBandwidthGigabytes", thresholds.min_bus_bandwidth_gigabytes)}) {
    if (value && *value < 1)
      return Error{
          std::string("spec.thresholds.") + name + ": " + std::to_string(*value) + " is out of range 1 and more",
          "Invalid"};
  }
  // Below a tenth no deadline leaves room for a healthy node; above ten times, one round outlasts timeoutSeconds.
  if (const auto& percent = thresholds.deadline_percent; percent && (*percent < 10 || *percent > 1000))
    return Error{"spec.thresholds.deadlinePercent: " + std::to_string(*percent) + " is out of range 10 to 1000",
                 "Invalid"};
  return std::nullopt;
}

}  // namespace

namespace codec {
template <>
struct EnumText<SeverityWord> {
  static constexpr const char* all = "Deny, Warn, Info, Off";
  static std::optional<SeverityWord> from(std::string_view text) { return severity_word_from(text); }
};
}  // namespace codec

template <typename Io>
void fields(Io& io, LabelSelector::Expression& v) {
  io.required("key", v.key);
  io.required("operator", v.op);
  io("values", v.values);
}

template <typename Io>
void fields(Io& io, LabelSelector& v) {
  io("matchLabels", v.match_labels);
  io("matchExpressions", v.match_expressions);
}

template <typename Io>
void fields(Io& io, PolicyThresholds& v) {
  io("minSharedMemoryMebibytes", v.min_shared_memory_mebibytes);
  io("minOpenFiles", v.min_open_files);
  io("minBusBandwidthGigabytes", v.min_bus_bandwidth_gigabytes);
  io("deadlinePercent", v.deadline_percent);
}

template <typename Io>
void fields(Io& io, ImageSettings& v) {
  io("registry", v.registry);
  io("pullSecrets", v.pull_secrets);
}

namespace {

template <typename Io>
void fields(Io& io, RuleLine& v) {
  io.required("rule", v.rule);
  io.required("severity", v.severity);
}

template <typename Io>
void fields(Io& io, PolicySpec& v) {
  io("namespaceSelector", v.namespace_selector);
  io("severities", v.severities);
  io("neverIgnore", v.never_ignore);
  io("mode", v.mode);
  io("thresholds", v.thresholds);
  io("images", v.images);
}

}  // namespace

bool LabelSelector::matches(const std::map<std::string, std::string>& labels) const {
  const bool all_equal = std::all_of(match_labels.begin(), match_labels.end(), [&](const auto& wanted) {
    const auto label = labels.find(wanted.first);
    return label != labels.end() && label->second == wanted.second;
  });
  return all_equal && std::all_of(match_expressions.begin(), match_expressions.end(),
                                  [&](const auto& expression) { return holds(expression, labels); });
}

Result<RollcallPolicy> rollcall_policy_from(const nlohmann::json& object) {
  ObjectMeta meta;
  PolicySpec spec;
  std::optional<Error> error;
  codec::Reader top(object, "", error);
  top.required("metadata", meta);
  top("spec", spec);
  if (!error && meta.name.empty()) error = Error{"metadata.name: is missing", "Invalid"};
  if (!error) error = out_of_range(spec);
  if (error) return *error;

  RollcallPolicy policy;
  policy.name = meta.name;
  policy.namespace_selector = std::move(spec.namespace_selector);
  for (auto& line : spec.severities) policy.severities.push_back({std::move(line.rule), severity_of(line.severity)});
  policy.mode = spec.mode;
  policy.thresholds = spec.thresholds;
  policy.images = std::move(spec.images);
  policy.never_ignore = std::move(spec.never_ignore);
  return policy;
}

}  // namespace rollcall::api
