#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roll_call/collective/judge.h"
#include "roll_call/roll.h"
#include "roll_call/stages/stage.h"

/// What the stages of the collectives share.
namespace rollcall::roll_call {

/// What the nodes of the plan brought, by node rank; those that brought nothing are left out.
std::vector<Ran> brought(const Roll& roll);

/// The rule of the first failing finding of this round, of stages before `stage`; nullptr = none.
const StageFinding* failure_before(const Roll& roll, Stage stage);

/// What a Pod keeps of its ranks: without what its GPU facts have (UUIDs of sound ranks), and with the list of devices
/// once, at the first rank that told it. At 10,000 nodes that is 40 MiB less.
std::vector<RankResult> kept(std::vector<RankResult> ranks);

bool any_failing(const std::vector<api::NodeFinding>& findings);

/// Adds the findings to the stage. In a partial environment a failure proves nothing about the trainer: then errors and
/// hangs are warnings, and the words say so.
void add_findings(Roll& roll, Stage stage, std::vector<api::NodeFinding> findings, bool jobs_own,
                  const std::string& partial);

/// "64 MiB", and that a double measured when one did.
std::string size_words(const Roll& roll, std::int64_t bytes);

}  // namespace rollcall::roll_call
