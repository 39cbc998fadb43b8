#pragma once

#include <chrono>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

/// Log lines as JSON: a constant message, the values as keys. Any thread; never a token.
namespace rollcall::log {

using Value = std::variant<std::string, long long, bool>;
struct Field {
  std::string_view key;
  Value value;
  Field(std::string_view name, std::string text) : key(name), value(std::move(text)) {}
  Field(std::string_view name, std::string_view text) : key(name), value(std::string(text)) {}
  Field(std::string_view name, const char* text) : key(name), value(std::string(text)) {}
  Field(std::string_view name, bool yes) : key(name), value(yes) {}
  template <class Number>
  Field(std::string_view name, Number number) requires(std::is_integral_v<Number> && !std::is_same_v<Number, bool>)
      : key(name), value(static_cast<long long>(number)) {}
};
using Fields = std::initializer_list<Field>;

/// Lines go to standard error from the calling thread: no queue that a crash could lose. Call once, before the first
/// line.
void start();
void info(std::string_view message, Fields fields = {});
void warn(std::string_view message, Fields fields = {});
void error(std::string_view message, Fields fields = {});

/// `"msg":"…","key":…`, the part of a line that is ours.
std::string line(std::string_view message, Fields fields);

/// Lets a kind of line through once in a while, so that a stranger cannot fill the log. Any thread.
class Sparingly {
 public:
  explicit Sparingly(std::chrono::seconds every) : every_(every) {}
  /// nullopt = not now; else how many were held back since the last.
  struct Turn {
    bool now = false;
    long long held_back = 0;
  };
  Turn turn(std::string_view kind, std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now());

 private:
  struct Kind {
    std::chrono::steady_clock::time_point last{};
    long long held_back = 0;
    bool seen = false;
  };
  const std::chrono::seconds every_;
  std::mutex mutex_;
  std::unordered_map<std::string, Kind> kinds_;
};

}  // namespace rollcall::log
