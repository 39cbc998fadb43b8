#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

/// Log lines as JSON on standard error: a constant message, the values as keys. Any thread.
namespace rollcall::operator_::log {

using Field = std::pair<std::string_view, std::string>;
using Fields = std::initializer_list<Field>;

/// Once, before the first line.
void start();
void info(std::string_view message, Fields fields = {});
void warn(std::string_view message, Fields fields = {});
void error(std::string_view message, Fields fields = {});

/// `"msg":"…","key":"…"`, the part of a line that is ours; invalid UTF-8 is replaced.
std::string line(std::string_view message, Fields fields);

}  // namespace rollcall::operator_::log
