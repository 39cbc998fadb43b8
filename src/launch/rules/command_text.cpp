#include "launch/rules/command_text.h"

#include <algorithm>
#include <array>

#include "launch/kinds/shape.h"
#include "launch/patch.h"

namespace rollcall::launch::rules {
namespace {

template <typename Predicate>
bool any_element(const Field& container, Predicate predicate) {
  for (const char* list : {"command", "args"})
    for (std::size_t i = 0; i < container[list].size(); ++i)
      if (predicate(container[list][i].text())) return true;
  return false;
}

/// A `&` that is neither half of `&&` nor part of a redirection (`2>&1`, `&>log`).
bool has_lone_ampersand(const std::string& text) {
  for (std::size_t at = text.find('&'); at != std::string::npos; at = text.find('&', at + 1)) {
    const char before = at == 0 ? ' ' : text[at - 1];
    const char after = at + 1 < text.size() ? text[at + 1] : ' ';
    if (before != '&' && before != '>' && after != '&' && after != '>') return true;
  }
  return false;
}

/// The place behind the launcher's own word, where its first argument stands: `spec….command[1]`. Empty where the word
/// is not an element of its own.
std::string first_argument(const Role& role) {
  // Of a script in a file the path is where the command names the script: a word there would be the script's own.
  if (!role.command.script_from.empty()) return {};
  const std::string& path = role.command.launcher.path();
  const std::size_t bracket = path.rfind('[');
  if (bracket == std::string::npos || !path.ends_with("]")) return {};
  const auto index = whole_number(std::string_view(path).substr(bracket + 1, path.size() - bracket - 2));
  if (!index) return {};
  for (const char* list : {"command", "args"}) {
    const Field element = role.container[list][static_cast<std::size_t>(*index)];
    if (element.path() != path || element.text().find_first_of(" \t\n") != std::string::npos) continue;
    return path.substr(0, bracket + 1) + std::to_string(*index + 1) + "]";
  }
  return {};
}

}  // namespace

bool mentions(const Field& container, std::string_view text) {
  return any_element(container, [text](const std::string& one) { return one.find(text) != std::string::npos; });
}

bool starts_in_background(const Field& container) { return any_element(container, has_lone_ampersand); }

bool may_have_env(const Role& role, std::string_view name) {
  return role.container["envFrom"].present() ||
         std::any_of(role.env.begin(), role.env.end(), [name](const EnvEntry& entry) { return entry.name == name; });
}

bool asks_for_a_device(const Field& container) {
  constexpr std::array<std::string_view, 3> kPlain{"cpu", "memory", "ephemeral-storage"};
  constexpr std::array<std::string_view, 3> kNoGpus{"hugepages-", "rdma/", "vpc.amazonaws.com/"};
  for (const char* list : {"limits", "requests"}) {
    const Field quantities = container["resources"][list];
    if (!quantities.is_object()) continue;
    for (const auto& [name, value] : quantities.json().items())
      if (std::find(kPlain.begin(), kPlain.end(), name) == kPlain.end() &&
          std::none_of(kNoGpus.begin(), kNoGpus.end(),
                       [&name = name](std::string_view prefix) { return name.starts_with(prefix); }))
        return true;
  }
  return false;
}

bool has_company(const Role& role) {
  const Field pod = role.pod_template["spec"];
  if (pod["containers"].size() > 1) return true;
  const Field init = pod["initContainers"];
  for (std::size_t i = 0; i < init.size(); ++i)
    if (init[i]["restartPolicy"].text() == "Always") return true;
  return false;
}

std::string replace_flag_patch(const Role& role, const Flag& flag, const std::string& value) {
  for (const char* list : {"command", "args"}) {
    for (std::size_t i = 0; i < role.container[list].size(); ++i) {
      const Field element = role.container[list][i];
      if (element.path() != flag.path) continue;
      if (element.text() == flag.value.text && flag.joint != "=") return replace_patch(flag.path, value);
      if (flag.joint == "=" && element.text().starts_with(flag.spelled + "=") &&
          element.text().find_first_of(" \t\n") == std::string::npos)
        return replace_patch(flag.path, flag.spelled + "=" + value);
    }
  }
  return {};
}

std::string add_argument_patch(const Role& role, const std::string& word) { return add_arguments_patch(role, {word}); }

std::string add_arguments_patch(const Role& role, const std::vector<std::string>& words) {
  const std::string path = first_argument(role);
  if (path.empty()) return {};
  nlohmann::json operations = nlohmann::json::array();
  for (auto word = words.rbegin(); word != words.rend(); ++word)
    operations.push_back(nlohmann::json::parse(add_patch(path, *word))[0]);
  return operations.dump();
}

}  // namespace rollcall::launch::rules
