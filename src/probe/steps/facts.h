#pragma once

#include <string>

#include "probe/net/wake.h"
#include "probe/settings.h"
#include "roll_call/messages.h"

namespace rollcall::probe {

struct FactsReading {
  roll_call::LocalFacts facts;
  std::string trouble;  ///< what could not be read, for the log; empty when all was
};

/// All local facts, within 53 s, with the environment as the container and the trainer's command make it. Blocks; ends
/// early when `cancel` is notified.
FactsReading read_facts(const Settings& settings, const Wake& cancel);

/// One line for the log.
std::string facts_line(const roll_call::LocalFacts& facts);

}  // namespace rollcall::probe
