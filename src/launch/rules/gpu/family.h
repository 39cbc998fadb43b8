#pragma once

#include "launch/rules/families.h"

/// Rules about processes and devices.
namespace rollcall::launch::rules {

extern const Rule gpu_more_processes_than_gpus;
extern const Rule gpu_fewer_processes_than_gpus;
extern const Rule gpu_counted_without_gpus;
extern const Rule gpu_visible_devices_outside;
extern const Rule gpu_visible_without_request;
extern const Rule gpu_processes_by_cpus;
extern const Rule gpu_more_processes_than_visible;
extern const Rule gpu_visible_devices_idle;
extern const Rule gpu_visible_against_request;
extern const Rule gpu_devices_differ;
extern const Rule gpu_one_process_for_several;

}  // namespace rollcall::launch::rules
