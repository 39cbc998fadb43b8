#pragma once

#include <optional>
#include <string>
#include <utility>

namespace rollcall::launch {

/// A value with the field it was read from, or unknown with the reason. A rule can only speak of a value it has, so
/// "unknown is never denied" is a property of this type. The path becomes file, line and column when a finding is made
/// of it.
template <typename T>
class Fact {
 public:
  /// Nobody wrote it.
  Fact() = default;
  static Fact of(T value, std::string path) {
    Fact fact;
    fact.value_ = std::move(value);
    fact.path_ = std::move(path);
    return fact;
  }
  /// Somebody wrote it, but what it is shows only at run time. `reason` is for a person: "`$NODES` is set at run time".
  static Fact unknown(std::string reason, std::string path) {
    Fact fact;
    fact.reason_ = std::move(reason);
    fact.path_ = std::move(path);
    return fact;
  }

  bool known() const { return value_.has_value(); }
  /// Known or unknown, but written.
  bool given() const { return known() || !reason_.empty(); }

  /// Only when known().
  const T& operator*() const { return value_.value(); }
  const T* operator->() const { return &value_.value(); }

  const std::string& path() const { return path_; }
  const std::string& reason() const { return reason_; }

 private:
  std::optional<T> value_;
  std::string reason_;
  std::string path_;
};

}  // namespace rollcall::launch
