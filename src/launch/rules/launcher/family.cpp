#include "launch/rules/launcher/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &launcher_deepspeed_in_every_pod, &launcher_deepspeed_slots_not_there, &launcher_broken_host_file,
    &launcher_srun_starts_launchers,  &launcher_horovodrun_on_one_pod,     &launcher_accelerate_over_ssh,
    &launcher_no_shell_to_expand,
};

}  // namespace

std::span<const Rule* const> launcher() { return kRules; }

}  // namespace rollcall::launch::rules
