#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/launch.h"
#include "launch/text.h"

namespace rollcall::launch {

/// What a name of the environment stands for: the last entry's value; open when no entry has it.
Text variable(std::string_view name, const std::vector<EnvEntry>& env);

/// `text` of command, args or an env value after the kubelet's expansion: `$(NAME)` by its value, `$$` by `$`. The
/// kubelet leaves `$(NAME)` of a name it does not know as it is; a shell or a wrapper may still replace it, so it is
/// open.
Text expand(std::string_view text, const std::vector<EnvEntry>& env);

/// Stand around the name of a variable that the kubelet fills into a script with a value that is not known here. No
/// manifest has them in a command: YAML forbids them.
inline constexpr char kFilledIn = '\x01';
inline constexpr char kFilledInEnd = '\x02';

/// The same for the text of a script: an open `$(NAME)` keeps its name, between kFilledIn and kFilledInEnd.
std::string expand_script(std::string_view text, const std::vector<EnvEntry>& env);

}  // namespace rollcall::launch
