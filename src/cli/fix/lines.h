#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "launch/document/document.h"

namespace rollcall::cli {

/// A text by lines. Refers to the text.
class Lines {
 public:
  explicit Lines(std::string_view text);

  std::string_view text() const { return text_; }
  /// The byte at which a mark points; the text's end for a mark behind it, npos for one that is not known.
  std::size_t offset(const launch::Mark& mark) const;
  /// Of the line that the byte stands in.
  std::size_t start(std::size_t offset) const;
  /// Behind the line's line feed, or the text's end.
  std::size_t next(std::size_t offset) const;
  /// Whether nothing but blanks stands between the line's start and the byte.
  bool begins_line(std::size_t offset) const;
  /// Where the last byte that is no blank and no line's end stands before `offset`; npos = there is none.
  std::size_t before(std::size_t offset) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

}  // namespace rollcall::cli
