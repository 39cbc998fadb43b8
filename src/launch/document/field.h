#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "launch/document/path.h"

namespace rollcall::launch {

/// A place in an object and what stands there. Looking below what is absent is absent, so that readers need no checks
/// on the way down. Refers to the object: valid as long as the object is neither moved nor changed.
class Field {
 public:
  Field() = default;
  explicit Field(const nlohmann::json& object) : value_(&object) {}

  Field operator[](std::string_view key) const;
  Field operator[](std::size_t index) const;

  /// Written, and not null (Kubernetes reads a null as absent).
  bool present() const { return value_ != nullptr && !value_->is_null(); }
  bool is_string() const { return present() && value_->is_string(); }
  bool is_object() const { return present() && value_->is_object(); }
  bool is_array() const { return present() && value_->is_array(); }
  bool is_bool() const { return present() && value_->is_boolean(); }
  bool is_integer() const { return present() && value_->is_number_integer(); }
  /// Elements of an array; 0 for everything else.
  std::size_t size() const { return is_array() ? value_->size() : 0; }

  /// Only when present().
  const nlohmann::json& json() const { return *value_; }
  /// The string, or `otherwise` when it is none.
  std::string text(std::string otherwise = {}) const;

  /// Also of what is absent: where it would stand.
  const std::string& path() const { return path_; }

 private:
  Field(const nlohmann::json* value, std::string path) : value_(value), path_(std::move(path)) {}

  const nlohmann::json* value_ = nullptr;
  std::string path_;
};

}  // namespace rollcall::launch
