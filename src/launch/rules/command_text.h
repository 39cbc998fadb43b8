#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/launch.h"

/// What rules ask of a container's command and args as they are written, and the patches that change them. Pure.
namespace rollcall::launch::rules {

/// Whether `text` stands anywhere in command or args.
bool mentions(const Field& container, std::string_view text);

/// Whether a shell text in command or args leaves a program running beside the next one: `server & torchrun …`.
bool starts_in_background(const Field& container);

/// Whether the container's env has an entry of the name, or may have one from an object that envFrom names.
bool may_have_env(const Role& role, std::string_view name);

/// Whether the container asks for something besides cpu, memory, storage, huge pages and network cards: a device of a
/// name that is not known may be a GPU.
bool asks_for_a_device(const Field& container);

/// Whether another container of the pod, a native sidecar too, runs beside the trainer and shares its ports.
bool has_company(const Role& role);

/// A patch that gives the flag another value; empty where the command is a script, or the value is put together.
std::string replace_flag_patch(const Role& role, const Flag& flag, const std::string& value);

/// A patch that writes `word` as the launcher's first argument; empty where the command is a script.
std::string add_argument_patch(const Role& role, const std::string& word);

/// The same for several words, in their order.
std::string add_arguments_patch(const Role& role, const std::vector<std::string>& words);

}  // namespace rollcall::launch::rules
