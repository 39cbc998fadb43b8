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

}  // namespace

std::vector<EnvEntry> read_env(const Field& container, const std::vector<EnvEntry>& given) {
  // What is given stands behind the entries, where it is found first.
  std::vector<EnvEntry> env = given;
  const auto own_end = [&] { return env.end() - static_cast<std::ptrdiff_t>(given.size()); };
  const Field list = container["env"];
  const std::size_t count = list.size() > kMostEntries ? 0 : list.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Field entry = list[i];
    const Field value = entry["value"];
    if (!entry["name"].is_string()) continue;
    EnvEntry read{entry["name"].text(), {}, entry.path(), value.path()};
    if (entry["valueFrom"].present()) {
      read.value = Text::open("`" + read.name + "` is read from another object at run time", source_of(entry));
      read.value_path = entry["valueFrom"].path();
    } else if (value.is_string()) {
      read.value = expand(value.text(), env);
    }
    const auto earlier =
        std::find_if(env.begin(), own_end(), [&read](const EnvEntry& other) { return other.name == read.name; });
    if (earlier != own_end()) env.erase(earlier);
    env.insert(own_end(), std::move(read));
  }
  env.erase(own_end(), env.end());
  return env;
}

}  // namespace rollcall::launch
