#include <algorithm>

#include "launch/launchers/command.h"
#include "launch/shell/kubelet.h"

namespace rollcall::launch {

namespace {

/// More entries than anybody writes; looking one up among them is linear, so a longer list is left unread, and what
/// refers to it open.
constexpr std::size_t kMostEntries = 1024;

}  // namespace

std::vector<EnvEntry> read_env(const Field& container) {
  std::vector<EnvEntry> env;
  const Field list = container["env"];
  if (list.size() > kMostEntries) return env;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Field entry = list[i];
    const Field value = entry["value"];
    if (!entry["name"].is_string()) continue;
    EnvEntry read{entry["name"].text(), {}, entry.path(), value.path()};
    if (entry["valueFrom"].present()) {
      read.value = Text::open("`" + read.name + "` is read from another object at run time");
      read.value_path = entry["valueFrom"].path();
    } else if (value.is_string()) {
      read.value = expand(value.text(), env);
    }
    std::erase_if(env, [&read](const EnvEntry& earlier) { return earlier.name == read.name; });
    env.push_back(std::move(read));
  }
  return env;
}

}  // namespace rollcall::launch
