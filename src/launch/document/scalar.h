#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace rollcall::launch {

/// The value of a YAML scalar as Kubernetes reads it (YAML 1.1 by go-yaml v2). `tag` as yaml-cpp gives it: `?` for a
/// plain scalar, `!` for a quoted one, else the tag as written. Infinities and NaN, which JSON does not have, stay
/// text.
nlohmann::json scalar_value(const std::string& text, const std::string& tag);

/// The same as a mapping's key: JSON's keys are strings.
std::string scalar_key(const std::string& text, const std::string& tag);

}  // namespace rollcall::launch
