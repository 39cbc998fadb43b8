#include "launch/kinds/roll_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

namespace rollcall::launch {
namespace {

using Kind = ShapeProblem::Kind;

constexpr auto kHowCommand =
    "Write the program and its arguments, one string each; `[\"bash\", \"-c\", \"…\"]` for shell text.";

void add(std::vector<ShapeProblem>& problems, Kind kind, const Field& at, std::string message, std::string fix) {
  problems.push_back({kind, at.path(), std::move(message), std::move(fix), {}});
}

bool is_text(const Field& field, std::string_view what, const std::string& fix, std::vector<ShapeProblem>& problems) {
  if (field.is_string()) return true;
  add(problems, Kind::wrong_type, field, fmt::format("{} is no string.", what), fix);
  return false;
}

/// `[a-z0-9]([-a-z0-9]*[a-z0-9])?`, at most 63: it stands in findings and logs.
bool is_name(std::string_view text) {
  const auto inner = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !text.empty() && text.size() <= 63 && text.front() != '-' && text.back() != '-' &&
         std::all_of(text.begin(), text.end(), inner);
}

void read_name(const Field& check, std::set<std::string>& names, std::vector<ShapeProblem>& problems) {
  const Field name = check["name"];
  constexpr auto how = "Write a name of small letters, digits and `-`, at most 63.";
  if (!name.present()) return add(problems, Kind::missing, name, "the field is missing.", how);
  if (!is_text(name, "the name", how, problems)) return;
  const std::string text = name.text();
  if (!is_name(text))
    return add(problems, Kind::out_of_range, name, fmt::format("`{}` is no name of a check.", text), how);
  if (!names.insert(text).second) {
    add(problems, Kind::out_of_range, name, fmt::format("another check is called `{}`.", text),
        "Write another name: findings tell checks by it.");
  }
}

/// Characters of the command; 0 where it is none.
std::size_t read_check_command(const Field& command, std::vector<ShapeProblem>& problems) {
  if (!command.present()) {
    add(problems, Kind::missing, command, "the field is missing.", kHowCommand);
    return 0;
  }
  if (!command.is_array()) {
    add(problems, Kind::wrong_type, command, "the command is no list.", kHowCommand);
    return 0;
  }
  if (command.size() == 0 || command.size() > 64) {
    add(problems, Kind::out_of_range, command,
        fmt::format("the command has {} words, it may have 1 to 64.", command.size()), kHowCommand);
    return 0;
  }
  std::size_t sum = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (is_text(command[i], "a word of the command", kHowCommand, problems)) sum += characters(command[i].text());
  }
  if (command[0].is_string() && command[0].text().empty())
    add(problems, Kind::out_of_range, command[0], "the program's name is empty.", kHowCommand);
  return sum;
}

void read_deadline(const Field& deadline, std::vector<ShapeProblem>& problems) {
  if (!deadline.present()) return;
  const std::string how = fmt::format("Write seconds from 1 to {}.", kMaxCheckSeconds);
  if (!deadline.is_integer()) return add(problems, Kind::wrong_type, deadline, "the deadline is no whole number.", how);
  const auto& value = deadline.json();
  const bool huge = value.is_number_unsigned() && value.get<std::uint64_t>() > kMaxCheckSeconds;
  if (huge || value.get<std::int64_t>() < 1 || value.get<std::int64_t>() > kMaxCheckSeconds) {
    add(problems, Kind::out_of_range, deadline, fmt::format("{} is not in 1 to {}.", value.dump(), kMaxCheckSeconds),
        how);
  }
}

void read_checks(const Field& checks, std::vector<ShapeProblem>& problems) {
  if (!checks.present()) return;
  if (!checks.is_array())
    return add(problems, Kind::wrong_type, checks, "the checks are no list.",
               "Write a list of checks, each with name and command.");
  if (checks.size() > kMaxCheckNumber) {
    add(problems, Kind::out_of_range, checks,
        fmt::format("there are {} checks, at most {} are run.", checks.size(), kMaxCheckNumber),
        "Let one command do several of them.");
    return;
  }
  std::set<std::string> names;
  std::size_t sum = 0;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const Field check = checks[i];
    if (!check.is_object()) {
      add(problems, Kind::wrong_type, check, "the check is no object.", "Write a check with name and command.");
      continue;
    }
    read_name(check, names, problems);
    sum += read_check_command(check["command"], problems);
    if (check["compare"].present() && !check["compare"].is_bool())
      add(problems, Kind::wrong_type, check["compare"], "compare is neither true nor false.", "Write true or false.");
    read_deadline(check["deadlineSeconds"], problems);
  }
  if (sum > kMaxCheckCharacters) {
    add(problems, Kind::out_of_range, checks,
        fmt::format("the commands together have {} characters, they may have {}.", sum, kMaxCheckCharacters),
        "Put longer scripts into the image or a ConfigMap.");
  }
}

void read_setup(const Field& setup, std::vector<ShapeProblem>& problems) {
  if (!setup.present()) return;
  constexpr auto how = "Write shell text that makes the fabric's environment: `. /opt/fabric/profile.sh`.";
  if (!is_text(setup, "the setup", how, problems)) return;
  const std::size_t size = characters(setup.text());
  if (size <= kMaxSetupCharacters) return;
  add(problems, Kind::out_of_range, setup,
      fmt::format("the text has {} characters, it may have {}.", size, kMaxSetupCharacters),
      "Put it into a file of the image or of a ConfigMap, and source that.");
}

void read_nccl(const Field& nccl, std::vector<ShapeProblem>& problems) {
  if (!nccl.present()) return;
  constexpr auto how = "Write Job, for the library in the job's image, or Bundled, for the one of the probe's image.";
  if (!is_text(nccl, "the source of NCCL", how, problems)) return;
  if (const std::string text = nccl.text(); text != "Job" && text != "Bundled")
    add(problems, Kind::out_of_range, nccl, fmt::format("`{}` is no source of NCCL.", text), how);
}

}  // namespace

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

void read_roll_call(const Field& roll_call, std::vector<ShapeProblem>& problems) {
  read_nccl(roll_call["nccl"], problems);
  read_setup(roll_call["setup"], problems);
  read_checks(roll_call["checks"], problems);
}

}  // namespace rollcall::launch
