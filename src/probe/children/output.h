#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace rollcall::probe {

/// What a program printed, however much, in little memory: its last line, which stands for the whole, and its end. The
/// line depends on the bytes alone, not on the pieces they came in, so two nodes that print the same show the same.
/// One thread.
class Output {
 public:
  Output();
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void take(std::string_view piece);

  /// The last line that is not blank, without spaces at its end. One that is too long to show, or that has bytes which
  /// cannot be shown, is its beginning, its length and its SHA-256's: "epoch 1 … (70000 bytes, sha256 0a1b2c3d4e5f)".
  std::string last_line() const;
  /// The last lines, a few KiB; the first of them may be cut.
  std::string end() const;

 private:
  struct Line;
  std::unique_ptr<Line> line_;  ///< that goes on
  std::unique_ptr<Line> last_;  ///< the last whole one that is not blank
  std::string end_;
};

}  // namespace rollcall::probe
