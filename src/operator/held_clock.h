#pragma once

#include <map>
#include <set>
#include <string>

#include "api/roll_call.h"
#include "base/time_text.h"

namespace rollcall::operator_ {

/// What holding jobs costs, for counters that only grow: the desk's own clock (status.heldSince, heldSeconds) times
/// GPUs, looked at now and then. A job that asks for no GPU is counted in pods instead, so that no cost is counted
/// twice, in the words its message has. Pure; one thread.
class HeldClock {
 public:
  /// By cause: the rule of the first failing finding (`mesh/dropped`), `unknown` without one.
  struct Cost {
    std::map<std::string, double> gpu_seconds, pod_seconds;
  };

  /// Counts what is held from `since` on: earlier holds were counted by who led before.
  explicit HeldClock(WallTime since) : since_(since) {}

  /// One RollCall as it is now. Call for each, then end_of_look(): those that were not looked at are forgotten.
  void look(const api::RollCall& roll_call, WallTime now, Cost& cost);
  void end_of_look();

 private:
  WallTime since_;
  std::map<std::string, double> counted_;  ///< held seconds by uid of the RollCall
  std::set<std::string> seen_;
};

}  // namespace rollcall::operator_
