#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "launch/launchers/command.h"
#include "launch/shell/kubelet.h"

namespace rollcall::launch {

namespace {

/// More entries than anybody writes; looking one up among them is linear, so a longer list is left unread, and what
/// refers to it open.
constexpr std::size_t kMostEntries = 1024;

/// The variable that says the same as the field which an entry is read from; else the entry's own name.
std::string source_of(const Field& entry) {
  const std::string field = entry["valueFrom"]["fieldRef"]["fieldPath"].text();
  if (field == "metadata.annotations['batch.kubernetes.io/job-completion-index']" ||
      field == "metadata.labels['batch.kubernetes.io/job-completion-index']")
    return "JOB_COMPLETION_INDEX";
  if (field == "metadata.labels['apps.kubernetes.io/pod-index']") return "POD_INDEX";
  return entry["name"].text();
}

Text value_from(const Field& entry, const std::string& name, const ConfigMaps& maps) {
  const Field reference = entry["valueFrom"]["configMapKeyRef"];
  if (const ConfigMap* map = maps.find(reference["name"].text())) {
    // The kubelet fills nothing into a ConfigMap's value.
    if (const auto found = map->data.find(reference["key"].text()); found != map->data.end())
      return Text{found->second, {}};
  }
  return Text::open("`" + name + "` is read from another object at run time", source_of(entry));
}

}  // namespace

std::vector<EnvEntry> read_env_from(const Field& container, const ConfigMaps& maps) {
  std::vector<EnvEntry> env;
  const Field list = container["envFrom"];
  for (std::size_t i = 0; i < list.size(); ++i) {
    const ConfigMap* map = maps.find(list[i]["configMapRef"]["name"].text());
    if (map == nullptr || env.size() + map->data.size() > kMostEntries) {
      env.clear();
      continue;
    }
    const std::string prefix = list[i]["prefix"].text();
    for (const auto& [key, value] : map->data) {
      const std::string name = prefix + key;
      std::erase_if(env, [&name](const EnvEntry& entry) { return entry.name == name; });
      env.push_back({name, Text{value, {}}, list[i].path(), list[i].path()});
    }
  }
  return env;
}

std::vector<EnvEntry> read_env(const Field& container, const std::vector<EnvEntry>& given, const ConfigMaps& maps) {
  std::vector<EnvEntry> env = read_env_from(container, maps);
  const auto from = static_cast<std::ptrdiff_t>(env.size());
  // What is given stands behind the entries, where it is found first.
  env.insert(env.end(), given.begin(), given.end());
  const auto own_end = [&] { return env.end() - static_cast<std::ptrdiff_t>(given.size()); };
  const Field list = container["env"];
  const std::size_t count = list.size() > kMostEntries ? 0 : list.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Field entry = list[i];
    const Field value = entry["value"];
    if (!entry["name"].is_string()) continue;
    EnvEntry read{entry["name"].text(), {}, entry.path(), value.path()};
    if (entry["valueFrom"].present()) {
      read.value = value_from(entry, read.name, maps);
      read.value_path = entry["valueFrom"].path();
    } else if (value.is_string()) {
      read.value = expand(value.text(), env);
    }
    const auto earlier =
        std::find_if(env.begin() + from, own_end(), [&read](const EnvEntry& other) { return other.name == read.name; });
    if (earlier != own_end()) env.erase(earlier);
    env.insert(own_end(), std::move(read));
  }
  env.erase(own_end(), env.end());
  env.erase(env.begin(), env.begin() + from);
  return env;
}

}  // namespace rollcall::launch
