#pragma once

#include <map>
#include <string>

namespace rollcall::probe {

/// The variables that decide how ranks talk to each other, by an allow-list of names and prefixes; a variable that is
/// not on it may be a secret and is never read, hashed or counted.
std::map<std::string, std::string> allowed_environment(const std::map<std::string, std::string>& environment);

}  // namespace rollcall::probe
