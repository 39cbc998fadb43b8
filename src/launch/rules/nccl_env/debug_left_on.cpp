#include <algorithm>
#include <string>

#include "launch/rules/nccl_env/family.h"
#include "launch/rules/nccl_env/settings.h"

namespace rollcall::launch::rules {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; });
  return text;
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const auto settings = settings_of(launch, role);
    const Setting* level = find(settings, "NCCL_DEBUG");
    if (level == nullptr || !level->known()) continue;
    const std::string text = upper(level->value.text);
    if (text != "TRACE" && text != "INFO") continue;
    // Written to files, it is nobody's flood. A few subsystems are what one keeps on purpose.
    if (find(settings, "NCCL_DEBUG_FILE") != nullptr || find(settings, "NCCL_DEBUG_SUBSYS") != nullptr) continue;
    judgement.add(nccl_env_debug_left_on, level->path)
        .wrong("NCCL_DEBUG is {}: each rank logs hundreds of lines for each communicator.", level->value.text)
        .instead("Write WARN, which still names the cause of an error.")
        .patch(with_value(*level, "WARN"));
  }
}

}  // namespace

const Rule nccl_env_debug_left_on{
    .id = "nccl-env/debug-left-on",
    .severity = Severity::info,
    .title = "NCCL's debug log left on",
    .why =
        "INFO and TRACE are for looking into one fault. On many ranks they bury the line that matters and fill the "
        "nodes' log storage.",
    .wrong = "NCCL_DEBUG: TRACE",
    .right = "NCCL_DEBUG: WARN",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
