#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "launch/kinds/shape.h"
#include "launch/rules/launcher/family.h"

namespace rollcall::launch::rules {
namespace {

/// The part of `text` in front of `separator`, which is taken off together with it.
std::string_view cut(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

/// What is wrong with `NAME:0,1@NAME…` beside the host file; nullopt when nothing is. As parse_resource_filter() of
/// deepspeed.launcher.runner reads it.
std::optional<std::string> missing(std::string_view filter, const HostFile& file) {
  while (!filter.empty()) {
    std::string_view slots = cut(filter, '@');
    const std::string name(cut(slots, ':'));
    const auto host =
        std::find_if(file.hosts.begin(), file.hosts.end(), [&name](const HostLine& line) { return line.name == name; });
    if (host == file.hosts.end()) return fmt::format("no host `{}`", name);
    while (!slots.empty()) {
      const auto slot = whole_number(cut(slots, ','));
      if (slot && host->slots.known() && *slot >= *host->slots)
        return fmt::format("no slot {} on `{}`, which has {} (0 to {})", *slot, name, *host->slots, *host->slots - 1);
    }
  }
  return std::nullopt;
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Command& command = role.command;
    if (!command.launcher.known() || *command.launcher != "deepspeed" || !command.host_file.known) continue;
    if (!command.host_file.broken.empty()) continue;
    for (const char* name : {"--include", "--exclude"}) {
      const Flag* flag = command.flag(name);
      if (flag == nullptr || !flag->value.known()) continue;
      const auto problem = missing(flag->value.text, command.host_file);
      if (!problem) continue;
      judgement.add(launcher_deepspeed_slots_not_there, flag->path)
          .wrong("`{}`, but the host file ({}) has {}.", flag->written(), command.host_file.from, *problem)
          .instead("Name hosts and slots of the host file; slots count from 0.");
    }
  }
}

}  // namespace

const Rule launcher_deepspeed_slots_not_there{
    .id = "launcher/deepspeed-slots-not-there",
    .severity = Severity::deny,
    .title = "deepspeed chooses hosts or slots that its host file does not have",
    .why =
        "--include and --exclude choose among the slots of the host file, which count from 0 on each host. deepspeed "
        "ends before it starts anything when one of them is not there.",
    .wrong = "deepspeed --include=worker-0:2,3 with `worker-0 slots=2`",
    .right = "deepspeed --include=worker-0:0,1",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
