#pragma once

#include "launch/rules/families.h"

/// Rules about deadlines, retries and the end.
namespace rollcall::launch::rules {
extern const Rule lifecycle_deadline_below_start;
extern const Rule lifecycle_probe_kills_waiting_rank;
extern const Rule lifecycle_probe_of_the_master_port;
extern const Rule lifecycle_index_fails_alone;
extern const Rule lifecycle_logs_gone_at_once;
extern const Rule lifecycle_rank_restarts_alone;

}  // namespace rollcall::launch::rules
