#pragma once

#include <string>
#include <utility>
#include <variant>

namespace rollcall {

/// Why something could not be done, in words for a person. `code` tells kinds of errors apart where a caller must.
struct Error {
  std::string message;
  std::string code = {};

  /// The same error with `context` in front: "reading kubeconfig: no such file".
  Error in(const std::string& context) const { return {context + ": " + message, code}; }
};

/// A value or an Error; never both, never neither. Nothing is thrown across a room's boundary.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// Only after ok(); std::bad_variant_access otherwise.
  const T& value() const& { return std::get<0>(state_); }
  T& value() & { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  /// Only after !ok().
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

/// The Result of an act that returns nothing.
struct Done {};
using Status = Result<Done>;

}  // namespace rollcall
