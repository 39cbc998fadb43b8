#include <array>
#include <string>
#include <utility>

#include "launch/rules/nccl_env/family.h"
#include "launch/rules/nccl_env/settings.h"

namespace rollcall::launch::rules {
namespace {

/// torch 2.2 gave its own settings a name of its own; the old ones are read with a warning.
constexpr std::array<const char*, 5> kOld{"NCCL_ASYNC_ERROR_HANDLING", "NCCL_BLOCKING_WAIT", "NCCL_DESYNC_DEBUG",
                                          "NCCL_ENABLE_TIMING", "NCCL_USE_COMM_NONBLOCKING"};

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const auto settings = settings_of(launch, role);
    for (const char* old : kOld) {
      const Setting* setting = find(settings, old);
      const std::string name = std::string("TORCH_") + old;
      if (setting == nullptr || find(settings, name) != nullptr) continue;
      judgement.add(nccl_env_old_torch_name, setting->entry.empty() ? setting->path : setting->entry + ".name")
          .wrong("{} is torch's old name of {}.", old, name)
          .instead("Write {} with torch 2.2 and later.", name)
          .patch(with_name(*setting, name));
    }
  }
}

}  // namespace

const Rule nccl_env_old_torch_name{
    .id = "nccl-env/old-torch-name",
    .severity = Severity::info,
    .title = "a setting of torch by its old name",
    .why =
        "These are torch's, not NCCL's. Since 2.2 torch calls them TORCH_NCCL_…, reads the old names with a warning, "
        "and may one day pass them over.",
    .wrong = "NCCL_ASYNC_ERROR_HANDLING: \"1\"",
    .right = "TORCH_NCCL_ASYNC_ERROR_HANDLING: \"1\"",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
