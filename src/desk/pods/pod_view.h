#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "roll_call/desk.h"

namespace rollcall::desk {

/// RFC 3339 in UTC, as the API server writes times; nullopt for anything else.
std::optional<roll_call::TimePoint> time_from(std::string_view text);
/// `2026-11-30T15:47:08Z`
std::string time_text(roll_call::TimePoint time);

/// What the desk keeps of a pod, from the pod as the API server has it. Pure; a field that is missing or odd is left
/// empty.
roll_call::PodView pod_view_from(const nlohmann::json& pod);

}  // namespace rollcall::desk
