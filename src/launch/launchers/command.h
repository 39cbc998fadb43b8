#pragma once

#include <vector>

#include "launch/document/field.h"
#include "launch/kinds/mounted_files.h"
#include "launch/launch.h"

namespace rollcall::launch {

/// Works out what a container's `command` and `args` start: in exec form, or as the text of `bash -c`. What is decided
/// at run time (`$(…)`, a variable, a sourced file, a branch, the second of two launchers) is unknown. Never fails.
/// `given` are names that somebody else than the manifest sets: they stand for more than an entry of the same name. A
/// script or a launcher's configuration that the command names is read where `files` has it.
Command read_command(const Field& container, const std::vector<EnvEntry>& env, const std::vector<EnvEntry>& given,
                     const MountedFiles& files = {});

/// The container's env entries, in order, each once: of two with one name the last counts, as the kubelet reads them.
/// `$(NAME)` in a value is a name of `given`, else of an earlier entry or of envFrom. A value that a ConfigMap of the
/// input holds is read.
std::vector<EnvEntry> read_env(const Field& container, const std::vector<EnvEntry>& given, const ConfigMaps& maps = {});

/// What envFrom takes from the ConfigMaps that the input has. The entries of a source that it does not have may stand
/// for more than those of the sources before it, so only what stands behind is read. An entry of env stands for more.
std::vector<EnvEntry> read_env_from(const Field& container, const ConfigMaps& maps);

}  // namespace rollcall::launch
