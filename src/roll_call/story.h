#pragma once

#include <string>
#include <vector>

#include "roll_call/roll.h"

/// The sentences about the whole job: what is waited for, why it is held and at what cost, what was decided.
namespace rollcall::roll_call {

/// What to tell a person now; for status.message and the probes' logs.
std::string story(const Roll& roll, TimePoint now);

/// "All 4 nodes answered and passed: released with MASTER_ADDR 10.0.0.4." and the like.
std::string release_message(const Roll& roll);
std::string end_message(const Roll& roll, api::EndReason reason, TimePoint now);

/// Who does not answer, or has not shown the address, and why: for the end of timeoutSeconds and for a lost pod.
std::vector<api::NodeFinding> missing_findings(const Roll& roll, TimePoint now);
/// Probes that run and have not said a word for kMute. Not a failure yet.
std::size_t mute_count(const Roll& roll, TimePoint now);
std::vector<api::NodeFinding> mute_findings(const Roll& roll, TimePoint now);

}  // namespace rollcall::roll_call
