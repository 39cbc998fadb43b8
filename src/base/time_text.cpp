#include "base/time_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace rollcall {
namespace {

using namespace std::chrono;

/// `length` digits at `at`, or nullopt.
std::optional<int> digits(std::string_view text, std::size_t at, std::size_t length) {
  if (at + length > text.size()) return std::nullopt;
  int value = 0;
  for (std::size_t i = at; i < at + length; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

}  // namespace

std::string rfc3339(WallTime time) {
  const auto day = floor<days>(time);
  const year_month_day date{day};
  return fmt::format("{:04}-{:02}-{:02}T{}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()), time_of_day(time));
}

std::string time_of_day(WallTime time) {
  const hh_mm_ss clock{floor<seconds>(time - floor<days>(time))};
  return fmt::format("{:02}:{:02}:{:02}Z", clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::optional<WallTime> rfc3339_from(std::string_view text) {
  const auto year_part = digits(text, 0, 4), month_part = digits(text, 5, 2), day_part = digits(text, 8, 2);
  const auto hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
  if (!year_part || !month_part || !day_part || !hour || !minute || !second) return std::nullopt;
  if (text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != 't') || text[13] != ':' || text[16] != ':')
    return std::nullopt;
  const year_month_day date{year{*year_part}, month{static_cast<unsigned>(*month_part)},
                            day{static_cast<unsigned>(*day_part)}};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  WallTime time = sys_days{date} + hours{*hour} + minutes{*minute} + seconds{*second};

  std::size_t at = 19;
  if (at < text.size() && text[at] == '.') {
    int scale = 100;
    const std::size_t first = ++at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, scale /= 10)
      time += milliseconds{(text[at] - '0') * scale};
    if (at == first) return std::nullopt;
  }
  const std::string_view zone = text.substr(at);
  if (zone == "Z" || zone == "z") return time;
  const auto zone_hours = digits(zone, 1, 2), zone_minutes = digits(zone, 4, 2);
  if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':' || !zone_hours || !zone_minutes)
    return std::nullopt;
  const auto offset = hours{*zone_hours} + minutes{*zone_minutes};
  return zone[0] == '+' ? time - offset : time + offset;
}

std::string duration_words(milliseconds duration) {
  const auto total = std::max<std::int64_t>(0, floor<seconds>(duration).count());
  if (total < 100) return fmt::format("{} s", total);
  const auto all_minutes = total / 60;
  if (all_minutes < 100) return fmt::format("{} min", all_minutes);
  if (all_minutes % 60 == 0) return fmt::format("{} h", all_minutes / 60);
  return fmt::format("{} h {} min", all_minutes / 60, all_minutes % 60);
}

}  // namespace rollcall
