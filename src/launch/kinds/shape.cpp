#include "launch/kinds/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/training_job.h"
#include "launch/kinds/misspelt.h"
#include "launch/kinds/roll_call.h"
#include "launch/patch.h"

namespace rollcall::launch {
namespace {

using Kind = ShapeProblem::Kind;

// The longest name with which the pods' names JOB-NODERANK-ATTEMPT still fit in a host name of 63.
constexpr std::size_t kMaxName = 48;
// The schema's bounds: far above any cluster, below where a product of two leaves an int.
constexpr long long kMaxNodes = api::kMaxNodes;
constexpr long long kMaxProcesses = 1024;

constexpr std::array kLaunchers{"torchrun", "accelerate", "deepspeed", "jax", "none"};

std::string article(const nlohmann::json& value) {
  switch (value.type()) {
    case nlohmann::json::value_t::object:
      return "an object";
    case nlohmann::json::value_t::array:
      return "a list";
    case nlohmann::json::value_t::string:
      return "a string";
    case nlohmann::json::value_t::boolean:
      return "true or false";
    default:
      return "a number";
  }
}

/// The value as a person wrote it, cut where it is long.
std::string shown(const nlohmann::json& value) {
  std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

Fact<int> refuse(std::vector<ShapeProblem>& problems, ShapeProblem problem) {
  auto fact = Fact<int>::unknown(problem.message, problem.path);
  problems.push_back(std::move(problem));
  return fact;
}

void expect_object(const Field& field, const char* fix, std::vector<ShapeProblem>& problems) {
  if (!field.present()) {
    problems.push_back({Kind::missing, field.path(), "the field is missing.", fix, {}});
  } else if (!field.is_object()) {
    problems.push_back(
        {Kind::wrong_type,
         field.path(),
         fmt::format("`{}` is {}, the field takes an object.", shown(field.json()), article(field.json())),
         fix,
         {}});
  }
}

}  // namespace

std::optional<int> whole_number(std::string_view text) {
  if (text.empty() || text.size() > 9) return std::nullopt;
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

Fact<int> read_count(const Field& field, Need need, std::vector<ShapeProblem>& problems) {
  if (!field.present()) {
    if (need == Need::optional) return {};
    return refuse(problems,
                  {Kind::missing, field.path(), "the field is missing.", "Write how many pods the job has.", {}});
  }
  const bool product = field.path().ends_with("worldSize");
  const bool nodes = field.path().ends_with("nnodes");
  const long long most = product ? kMaxNodes * kMaxProcesses : nodes ? kMaxNodes : kMaxProcesses;
  const nlohmann::json& value = field.json();
  if (!field.is_integer()) {
    ShapeProblem problem{Kind::wrong_type,
                         field.path(),
                         fmt::format("`{}` is {}, the field takes a whole number.", shown(value), article(value)),
                         fmt::format("Write a whole number from 1 to {}.", most),
                         {}};
    const auto number = value.is_string() ? whole_number(value.get_ref<const std::string&>()) : std::nullopt;
    if (number && *number >= 1 && *number <= most) {
      problem.fix = fmt::format("Write {} without quotes.", *number);
      problem.patch = replace_patch(field.path(), *number);
    }
    return refuse(problems, std::move(problem));
  }
  const bool huge = value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most);
  if (huge || value.get<std::int64_t>() < 1 || value.get<std::int64_t>() > most) {
    return refuse(problems, {Kind::out_of_range,
                             field.path(),
                             fmt::format("{} is not in 1 to {}.", shown(value), most),
                             fmt::format("Write a whole number from 1 to {}.", most),
                             {}});
  }
  return Fact<int>::of(value.get<int>(), field.path());
}

Fact<std::string> read_launcher(const Field& field, std::vector<ShapeProblem>& problems) {
  if (!field.present()) return {};
  const std::string text = field.text();
  if (std::find(kLaunchers.begin(), kLaunchers.end(), text) != kLaunchers.end())
    return Fact<std::string>::of(text, field.path());
  problems.push_back(
      {Kind::out_of_range,
       field.path(),
       fmt::format("`{}` is no launcher.", shown(field.json())),
       fmt::format("Write one of {}, or leave it out: it is then read from the command.", fmt::join(kLaunchers, ", ")),
       {}});
  return Fact<std::string>::unknown("spec.launcher names none", field.path());
}

void read_structure(const Field& root, std::vector<ShapeProblem>& problems) {
  const Field name = root["metadata"]["name"];
  if (name.text().size() > kMaxName) {
    problems.push_back(
        {Kind::out_of_range,
         name.path(),
         fmt::format("the name has {} characters; the pods' names JOB-NODERANK-ATTEMPT must fit in a host name of 63.",
                     name.text().size()),
         fmt::format("Write a name of at most {} characters.", kMaxName),
         {}});
  }
  const Field spec = root["spec"];
  expect_object(spec, "Write nnodes and template.", problems);
  if (!spec.is_object()) return;
  const Field pod_template = spec["template"];
  expect_object(pod_template, "Write a pod template with the container that trains.", problems);
  if (pod_template.is_object())
    expect_object(pod_template["spec"], "Write the pod's spec with its containers.", problems);
  read_roll_call(spec["rollCall"], problems);
  find_misspelt(spec, problems);
}

}  // namespace rollcall::launch
