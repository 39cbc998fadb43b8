#pragma once

#include <vector>

#include "launch/document/field.h"
#include "launch/launch.h"

namespace rollcall::launch {

/// Works out what a container's `command` and `args` start: in exec form, or as the text of `bash -c`. What is decided
/// at run time (`$(…)`, a variable, a sourced file, a branch, the second of two launchers) is unknown. Never fails.
/// `given` are names that somebody else than the manifest sets: they stand for more than an entry of the same name.
Command read_command(const Field& container, const std::vector<EnvEntry>& env, const std::vector<EnvEntry>& given);

/// The container's env entries, in order, each once: of two with one name the last counts, as the kubelet reads them.
/// `$(NAME)` in a value is a name of `given`, else of an earlier entry.
std::vector<EnvEntry> read_env(const Field& container, const std::vector<EnvEntry>& given);

}  // namespace rollcall::launch
