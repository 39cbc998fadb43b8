#pragma once

#include "launch/rules/families.h"

/// Rules about gangs and queues.
namespace rollcall::launch::rules {

extern const Rule scheduling_gang_smaller_than_job;
extern const Rule scheduling_gang_waits_for_launcher;

}  // namespace rollcall::launch::rules
