#pragma once

#include <string>

#include "probe/children/process.h"
#include "probe/settings.h"

namespace rollcall::probe {

/// What programs of the job get as environment, and how near that is to the trainer's own.
struct JobEnvironment {
  Environment variables;
  std::string fidelity;  ///< "partial: why"; empty = the trainer's, as far as is known
  std::string trouble;   ///< of `setup`, for the log; empty when it went well or there is none
};

/// The container's environment, then the exports of the trainer's command, then what `setup` makes of it: shell text,
/// run by the image's bash or sh for at most 30 s. A setup that fails changes nothing and is told. `self` is this
/// program's path, which prints the environment after the setup: images need not have `env`.
JobEnvironment job_environment(const Settings& settings, const Environment& container, const std::string& self,
                               const Wake& cancel);

/// The verb behind it: prints a mark, then this process's environment, each variable ended by a zero byte.
int print_environment();

}  // namespace rollcall::probe
