#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace rollcall::launch {

/// The value of a YAML scalar as Kubernetes reads it (YAML 1.1 by go-yaml v2). `tag`: `?` for a plain scalar
/// without one, `!` for a quoted one, else the tag in full. Infinities and NaN, which JSON does not have, stay
/// text.
nlohmann::json scalar_value(std::string_view text, std::string_view tag);

/// The same as a mapping's key: JSON's keys are strings.
std::string scalar_key(std::string_view text, std::string_view tag);

}  // namespace rollcall::launch
