#pragma once

#include "launch/rules/families.h"

/// Rules about gangs and queues.
namespace rollcall::launch::rules {

extern const Rule scheduling_gang_smaller_than_job;
extern const Rule scheduling_gang_waits_for_launcher;
extern const Rule scheduling_next_pod_waits_for_ready;
extern const Rule scheduling_one_node_for_pods_apart;
extern const Rule scheduling_gang_larger_than_job;
extern const Rule scheduling_partial_admission;
extern const Rule scheduling_waits_for_the_end_of_its_peer;

}  // namespace rollcall::launch::rules
