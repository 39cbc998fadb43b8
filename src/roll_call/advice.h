#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "roll_call/roll.h"

/// What a person needs to act on a hold or a failed verdict: made from the first failing finding, by a table of rule
/// families. Pure; inside of roll_call/ only.
namespace rollcall::roll_call {

/// nullopt while nothing is held and nothing ended badly.
std::optional<api::Advice> advice_for(const Roll& roll, TimePoint now);

/// The next command and whether overriding is safe, by a finding's rule; for the one-line story.
std::string next_command(const Roll& roll, const api::NodeFinding& finding);
/// "no: the job would hang in its first collective".
std::string_view override_safe(const api::NodeFinding& finding);

}  // namespace rollcall::roll_call
