#pragma once

#include "roll_call/roll.h"

/// How a roll call moves: rounds, holds, and the one verdict.
namespace rollcall::roll_call {

/// The next round. `clock` false: a restart of the present one, whose timeoutSeconds runs on.
void begin_round(Roll& roll, TimePoint now, bool new_clock);

/// Does everything that is due. After it the roll waits for an event or for next_wake().
void advance(Roll& roll, TimePoint now);

/// When advance() has something to do without an event; nullopt = never.
std::optional<TimePoint> next_wake(const Roll& roll, TimePoint now);

/// The API server's word on the verdict, or that of another writer.
void take_verdict(Roll& roll, const api::Verdict& stored, TimePoint now);
void verdict_write_failed(Roll& roll, TimePoint now);

}  // namespace rollcall::roll_call
