#pragma once

#include <optional>
#include <string>

#include "roll_call/collective/conduct.h"
#include "roll_call/collective/memory.h"
#include "roll_call/roll.h"

/// The searches of the localisation stage: which pairs are ordered next, and what their results say.
namespace rollcall::roll_call {

/// Searches for what failed: one over the nodes, or one within each node whose own collective failed.
std::vector<Search> searches_of(const Roll& roll);

/// The next pairs of all searches, their orders ready; nullopt when they have come to their end or time has.
/// Moves memory.phase on.
std::optional<Wanted> next_trials(Roll& roll, TimePoint now);

/// Takes the results of the pairs that were out.
void take_results(Roll& roll);

/// A pair that failed, for the reruns and the report: places in members; nullopt = none did.
std::optional<PairOf> failing_pair(const Search& search);

/// What a search came to, as a finding. `severity` is "info" when no pair failed.
api::NodeFinding search_finding(const Roll& roll, const Search& search);

}  // namespace rollcall::roll_call
