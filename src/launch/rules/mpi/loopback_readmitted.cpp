#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "launch/patch.h"
#include "launch/rules/mpi/family.h"
#include "launch/rules/nccl_env/settings.h"

namespace rollcall::launch::rules {
namespace {

/// What Open MPI leaves out when it looks for a way between ranks; 127.0.0.1/8,sppp until somebody writes another list.
constexpr std::string_view kName = "btl_tcp_if_exclude";

struct List {
  std::string value;
  std::string path;
};

/// `--mca btl_tcp_if_exclude docker0` of a command in exec form.
std::optional<List> in_words(const Field& container) {
  for (const char* part : {"command", "args"}) {
    const Field words = container[part];
    for (std::size_t i = 0; i + 2 < words.size(); ++i) {
      const std::string flag = words[i].text();
      if ((flag == "--mca" || flag == "-mca") && words[i + 1].text() == kName)
        return List{words[i + 2].text(), words[i + 2].path()};
    }
  }
  return std::nullopt;
}

std::optional<List> list_of(const Role& role) {
  if (auto found = in_words(role.container)) return found;
  const std::string variable = "OMPI_MCA_" + std::string(kName);
  const auto entry = std::find_if(role.env.rbegin(), role.env.rend(),
                                  [&variable](const EnvEntry& one) { return one.name == variable; });
  if (entry == role.env.rend() || !entry->value.known()) return std::nullopt;
  return List{entry->value.text, entry->value_path};
}

/// Names are whole here, and networks are written as 127.0.0.0/8.
bool leaves_loopback_out(const std::string& value) {
  return ("," + value + ",").find(",lo,") != std::string::npos || value.find("127.") != std::string::npos;
}

void check(const Launch& launch, Judgement& judgement) {
  if (!several_nodes(launch)) return;
  for (const Role& role : launch.roles) {
    const auto& launcher = role.command.launcher;
    if (!role.leads || !launcher.known() || *launcher != "mpirun") continue;
    const auto list = list_of(role);
    if (!list || list->value.empty() || list->value.find('$') != std::string::npos) continue;
    if (leaves_loopback_out(list->value)) continue;
    judgement.add(mpi_loopback_readmitted, list->path)
        .wrong("{} `{}` takes the place of Open MPI's own list, so the loopback is used.", kName, list->value)
        .instead("Write `{},lo`.", list->value)
        .patch(replace_patch(list->path, list->value + ",lo"));
  }
}

}  // namespace

const Rule mpi_loopback_readmitted{
    .id = "mpi/loopback-readmitted",
    .severity = Severity::warn,
    .title = "an exclusion list of Open MPI that lets the loopback in",
    .why =
        "Open MPI leaves 127.0.0.1/8 out by itself; a list that somebody writes takes the place of that. Every node "
        "has a 127.0.0.1, so ranks take it for a way to each other, and the first message goes to their own node.",
    .wrong = "--mca btl_tcp_if_exclude docker0",
    .right = "--mca btl_tcp_if_exclude docker0,lo",
    .check = check,
    .kinds = {JobKind::mpi_job},
};

}  // namespace rollcall::launch::rules
