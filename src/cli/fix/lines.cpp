#include "cli/fix/lines.h"

#include <algorithm>

namespace rollcall::cli {

Lines::Lines(std::string_view text) : text_(text), starts_{0} {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') starts_.push_back(i + 1);
}

std::size_t Lines::offset(const launch::Mark& mark) const {
  if (mark.line < 1 || mark.column < 1) return std::string_view::npos;
  const auto line = static_cast<std::size_t>(mark.line) - 1;
  if (line >= starts_.size()) return text_.size();
  std::size_t at = starts_[line];
  for (int column = 1; column < mark.column && at < text_.size(); ++column) {
    ++at;
    while (at < text_.size() && (static_cast<unsigned char>(text_[at]) & 0xC0) == 0x80) ++at;
  }
  return at;
}

std::size_t Lines::start(std::size_t offset) const {
  return *(std::upper_bound(starts_.begin(), starts_.end(), offset) - 1);
}

std::size_t Lines::next(std::size_t offset) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  return after == starts_.end() ? text_.size() : *after;
}

bool Lines::begins_line(std::size_t offset) const {
  const std::size_t from = start(offset);
  return text_.substr(from, offset - from).find_first_not_of(" \t") == std::string_view::npos;
}

std::size_t Lines::before(std::size_t offset) const {
  return offset == 0 ? std::string_view::npos : text_.substr(0, offset).find_last_not_of(" \t\r\n");
}

}  // namespace rollcall::cli
