#include "telemetry/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

namespace rollcall::log {
namespace {

using Json = nlohmann::json;

/// Text from pods and API servers need not be UTF-8; a log line must be.
std::string json_text(std::string_view text) {
  return Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string shown(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return json_text(*text);
  if (const auto* number = std::get_if<long long>(&value)) return std::to_string(*number);
  return std::get<bool>(value) ? "true" : "false";
}

}  // namespace

void start() {
  auto logger = spdlog::stderr_logger_mt("rollcall");
  logger->set_formatter(std::make_unique<spdlog::pattern_formatter>(R"({"ts":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})",
                                                                    spdlog::pattern_time_type::utc));
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
}

std::string line(std::string_view message, Fields fields) {
  std::string text = "\"msg\":" + json_text(message);
  for (const auto& field : fields) text += "," + json_text(field.key) + ":" + shown(field.value);
  return text;
}

void info(std::string_view message, Fields fields) { spdlog::info("{}", line(message, fields)); }
void warn(std::string_view message, Fields fields) { spdlog::warn("{}", line(message, fields)); }
void error(std::string_view message, Fields fields) { spdlog::error("{}", line(message, fields)); }

Sparingly::Turn Sparingly::turn(std::string_view kind, std::chrono::steady_clock::time_point now) {
  const std::lock_guard lock(mutex_);
  Kind& entry = kinds_[std::string(kind)];
  if (entry.seen && now - entry.last < every_) {
    entry.held_back++;
    return {};
  }
  entry.seen = true;
  entry.last = now;
  return {true, std::exchange(entry.held_back, 0)};
}

}  // namespace rollcall::log
