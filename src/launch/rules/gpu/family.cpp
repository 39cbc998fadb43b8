#include "launch/rules/gpu/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &gpu_more_processes_than_gpus,    &gpu_fewer_processes_than_gpus,
    &gpu_counted_without_gpus,        &gpu_visible_devices_outside,
    &gpu_visible_without_request,     &gpu_processes_by_cpus,
    &gpu_more_processes_than_visible, &gpu_visible_devices_idle,
    &gpu_visible_against_request,     &gpu_devices_differ,
    &gpu_one_process_for_several,
};

}  // namespace

std::span<const Rule* const> gpu() { return kRules; }

}  // namespace rollcall::launch::rules
