#pragma once

#include <nlohmann/json.hpp>

#include "roll_call/collective.h"
#include "roll_call/device_facts.h"
#include "roll_call/json_reader.h"

/// How device facts, collectives and checks stand in a message. Private to messages and to the lines of the probe's
/// child.
namespace rollcall::roll_call {

void read(Reader& r, GpuFacts& facts);
void read(Reader& r, NcclFacts& facts);
void read(Reader& r, CollectiveOrder& order);
void read(Reader& r, RankResult& result);
void read(Reader& r, CollectiveState& state);
void read(Reader& r, ChecksState& state);

nlohmann::json write(const GpuFacts& facts);
nlohmann::json write(const NcclFacts& facts);
nlohmann::json write(const CollectiveOrder& order);
nlohmann::json write(const RankResult& result);
nlohmann::json write(const CollectiveState& state);
nlohmann::json write(const ChecksState& state);

}  // namespace rollcall::roll_call
