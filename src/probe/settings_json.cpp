#include "probe/settings_json.h"

#include <nlohmann/json.hpp>

#include "probe/text.h"
#include "roll_call/collective.h"

namespace rollcall::probe {
namespace {

using nlohmann::json;

/// A day: a longer check would outlast every roll call.
constexpr int kMaxDeadlineSeconds = 86'400;

/// What is no JSON is "discarded", neither object nor list. No limit of its own: Linux takes no variable above 128 KiB.
json json_from(std::string_view text) { return json::parse(text, nullptr, /*allow_exceptions=*/false); }

Result<UserCheck> check_from(const json& entry) {
  UserCheck check;
  if (!entry.is_object()) return Error{"not an object"};
  const auto name = entry.find("name");
  if (name == entry.end() || !name->is_string()) return Error{"name: must be a text"};
  check.name = name->get<std::string>();
  const auto command = entry.find("command");
  if (command == entry.end() || !command->is_array() || command->empty())
    return Error{"command: must be a list of at least one text"};
  for (const auto& word : *command) {
    if (!word.is_string()) return Error{"command: must be a list of texts"};
    check.command.push_back(word.get<std::string>());
  }
  if (const auto seconds = entry.find("deadlineSeconds"); seconds != entry.end()) {
    if (!seconds->is_number_integer() || *seconds < 1 || *seconds > kMaxDeadlineSeconds)
      return Error{text("deadlineSeconds: must be a number from 1 to ", kMaxDeadlineSeconds)};
    check.deadline = std::chrono::seconds(seconds->get<int>());
  }
  return check;
}

}  // namespace

Result<std::map<std::string, std::string>> exports_from(std::string_view text_of) {
  const auto parsed = json_from(text_of);
  if (!parsed.is_object()) return Error{"must be a JSON object of names and texts"};
  std::map<std::string, std::string> exports;
  for (const auto& [name, value] : parsed.items()) {
    if (name.empty() || name.find_first_of(std::string_view("=\0", 2)) != std::string::npos)
      return Error{text("`", name, "` is no name that a variable can have")};
    if (!value.is_string()) return Error{text(name, ": must be a text")};
    exports.emplace(name, value.get<std::string>());
  }
  return exports;
}

Result<std::vector<UserCheck>> checks_from(std::string_view text_of) {
  const auto parsed = json_from(text_of);
  if (!parsed.is_array()) return Error{"must be a JSON list of checks"};
  if (parsed.size() > roll_call::kMaxChecks)
    return Error{text(parsed.size(), " checks, at most ", roll_call::kMaxChecks)};
  std::vector<UserCheck> checks;
  for (const auto& entry : parsed) {
    auto check = check_from(entry);
    if (!check) return check.error().in(text("check ", checks.size() + 1));
    checks.push_back(std::move(check).value());
  }
  return checks;
}

}  // namespace rollcall::probe
