#include "operator/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

namespace rollcall::operator_::log {
namespace {

std::string in_quotes(std::string_view text) {
  using nlohmann::json;
  return json(std::string(text)).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

void start() {
  auto logger = spdlog::stderr_logger_mt("rollcall-operator");
  logger->set_pattern(R"({"ts":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})", spdlog::pattern_time_type::utc);
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
}

std::string line(std::string_view message, Fields fields) {
  std::string text = "\"msg\":" + in_quotes(message);
  for (const auto& [key, value] : fields) text += "," + in_quotes(key) + ":" + in_quotes(value);
  return text;
}

void info(std::string_view message, Fields fields) { spdlog::info("{}", line(message, fields)); }
void warn(std::string_view message, Fields fields) { spdlog::warn("{}", line(message, fields)); }
void error(std::string_view message, Fields fields) { spdlog::error("{}", line(message, fields)); }

}  // namespace rollcall::operator_::log
