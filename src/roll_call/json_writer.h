#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.h"

namespace rollcall::roll_call {

/// The counterpart of Reader with the same calls, so that a struct names its fields once for both. Texts and lists are
/// cut to the limits, so that what is written can always be read. Not thread-safe.
class Writer {
 public:
  explicit Writer(nlohmann::json& object) : object_(object) { object_ = nlohmann::json::object(); }

  void text(const char* key, const std::string& value, std::size_t max) {
    if (!value.empty()) object_[key] = clipped(value, max);
  }
  void number(const char* key, double value, double min, double max) {
    object_[key] = std::isfinite(value) ? std::clamp(value, min, max) : min;
  }
  void flag(const char* key, bool value) { object_[key] = value; }
  template <typename Int>
  void integer(const char* key, Int value, std::int64_t min, std::int64_t max) {
    object_[key] = std::clamp(static_cast<std::int64_t>(value), min, max);
  }
  void texts(const char* key, const std::vector<std::string>& values, std::size_t max, std::size_t max_text) {
    if (values.empty()) return;
    auto& list = object_[key] = nlohmann::json::array();
    for (std::size_t i = 0; i < std::min(values.size(), max); ++i) list.push_back(clipped(values[i], max_text));
  }
  void integers(const char* key, const std::vector<int>& values, std::size_t max, std::int64_t min,
                std::int64_t max_value) {
    if (values.empty()) return;
    auto& list = object_[key] = nlohmann::json::array();
    for (std::size_t i = 0; i < std::min(values.size(), max); ++i)
      list.push_back(std::clamp<std::int64_t>(values[i], min, max_value));
  }
  void text_map(const char* key, const std::map<std::string, std::string>& values, std::size_t max, std::size_t max_key,
                std::size_t max_value) {
    if (values.empty()) return;
    auto& object = object_[key] = nlohmann::json::object();
    for (const auto& [name, value] : values) {
      if (object.size() == max) break;
      object[clipped(name, max_key)] = clipped(value, max_value);
    }
  }

 private:
  nlohmann::json& object_;
};

}  // namespace rollcall::roll_call
