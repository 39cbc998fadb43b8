#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

/// Time as text. Pure: nothing here reads a clock. Safe from any thread.
namespace rollcall {

using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;

/// "2026-11-30T15:43:10Z": RFC 3339 in UTC, whole seconds, as Kubernetes writes its times.
std::string rfc3339(WallTime time);

/// Reads RFC 3339 with Z or an offset and any fraction; nullopt for anything else.
std::optional<WallTime> rfc3339_from(std::string_view text);

/// "15:43:10Z": for a sentence about the next minutes.
std::string time_of_day(WallTime time);

/// "40 s", "6 min", "2 h 5 min": what a person says. Negative durations are "0 s".
std::string duration_words(std::chrono::milliseconds duration);

}  // namespace rollcall
