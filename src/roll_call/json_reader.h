#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.h"
#include "base/result.h"

namespace rollcall::roll_call {

/// Parses untrusted bytes: size, then depth, then syntax, so that a hostile text costs one pass and no stack.
Result<nlohmann::json> parse_bounded(std::string_view text, std::size_t max_bytes, int max_depth);

/// Reads fields of one JSON object against their limits. The first fault is kept with its path ("facts.nofile: …");
/// later reads change nothing, so that a decoder is a list of fields and one check at the end. Not thread-safe; lives
/// shorter than the JSON.
class Reader {
 public:
  Reader(const nlohmann::json& object, std::string path, std::optional<Error>& fault);

  void text(const char* key, std::string& out, std::size_t max);
  void number(const char* key, double& out, double min, double max);
  void flag(const char* key, bool& out);

  template <typename Int>
  void integer(const char* key, Int& out, std::int64_t min, std::int64_t max) {
    std::int64_t value = static_cast<std::int64_t>(out);
    if (read_integer(key, value, min, max)) out = static_cast<Int>(value);
  }

  /// Calls `read` with the object at `key`, when there is one.
  void object(const char* key, const std::function<void(Reader&)>& read);
  /// Calls `read` for each object of the list at `key`.
  void objects(const char* key, std::size_t max, const std::function<void(Reader&)>& read);
  void texts(const char* key, std::vector<std::string>& out, std::size_t max, std::size_t max_text);
  void integers(const char* key, std::vector<int>& out, std::size_t max, std::int64_t min, std::int64_t max_value);
  void text_map(const char* key, std::map<std::string, std::string>& out, std::size_t max, std::size_t max_key,
                std::size_t max_value);
  /// A text that `from` must understand.
  template <typename T>
  void word(const char* key, T& out, const std::function<std::optional<T>(std::string_view)>& from) {
    std::string read;
    if (!has(key)) return;
    text(key, read, 64);
    if (fault_) return;
    if (auto value = from(read)) {
      out = *value;
    } else {
      fail(key, "'" + read + "' is not a value it can have");
    }
  }

  bool has(const char* key) const;
  void fail(const char* key, const std::string& what);

 private:
  const nlohmann::json* find(const char* key) const;
  bool read_integer(const char* key, std::int64_t& out, std::int64_t min, std::int64_t max);
  std::string path_of(const char* key) const;

  const nlohmann::json& object_;
  std::string path_;
  std::optional<Error>& fault_;
};

}  // namespace rollcall::roll_call
