#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace rollcall::kube {

/// Cuts a stream of bytes into lines, wherever the network cut it: inside a line, a UTF-8 character or nowhere. Holds
/// at most `max_line` bytes.
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t max_line) : max_line_(max_line) {}

  /// Calls `on_line` with each whole line, without its end; empty lines are passed over. Stops early, with true, when
  /// `on_line` returns false. False once a line is longer than max_line: the rest of the stream cannot be trusted.
  bool feed(std::string_view bytes, const std::function<bool(std::string_view line)>& on_line);

  /// Bytes after the last line end: a stream that ends with some was cut.
  std::size_t pending() const { return rest_.size(); }

 private:
  std::size_t max_line_;
  std::string rest_;
};

}  // namespace rollcall::kube
