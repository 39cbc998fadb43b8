#include "launch/rules/lifecycle/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &lifecycle_deadline_below_start, &lifecycle_probe_kills_waiting_rank, &lifecycle_probe_of_the_master_port,
    &lifecycle_index_fails_alone,    &lifecycle_logs_gone_at_once,        &lifecycle_rank_restarts_alone,
};

}  // namespace

std::span<const Rule* const> lifecycle() { return kRules; }

}  // namespace rollcall::launch::rules
