#include "launch/rules/scheduling/family.h"

#include <array>

namespace rollcall::launch::rules {
namespace {

constexpr std::array kRules{
    &scheduling_gang_smaller_than_job,         &scheduling_gang_waits_for_launcher,
    &scheduling_next_pod_waits_for_ready,      &scheduling_one_node_for_pods_apart,
    &scheduling_gang_larger_than_job,          &scheduling_partial_admission,
    &scheduling_waits_for_the_end_of_its_peer,
};

}  // namespace

std::span<const Rule* const> scheduling() { return kRules; }

}  // namespace rollcall::launch::rules
