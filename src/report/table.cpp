#include "report/table.h"

#include <algorithm>

#include "base/printable.h"

namespace rollcall::report {
namespace {

constexpr std::size_t kGap = 2;

std::string cut(const std::string& text, std::size_t width, bool unicode) {
  if (display_width(text) <= width) return text;
  const std::string mark = unicode ? "…" : "...";
  std::string out = text;
  while (!out.empty() && display_width(out) + display_width(mark) > width) {
    do {
      out.pop_back();
    } while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0) == 0x80);
    // A lead byte without its tail is no character.
    if (!out.empty() && static_cast<unsigned char>(out.back()) >= 0xC0) out.pop_back();
  }
  return out + mark;
}

}  // namespace

std::string table(const Row& head, const std::vector<Row>& rows, std::size_t width, bool unicode) {
  std::vector<std::size_t> widths;
  for (const auto& cell : head) widths.push_back(display_width(cell));
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string out;
  const auto line = [&](const Row& row) {
    std::string text;
    std::size_t at = 0;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      std::string cell = i < row.size() ? row[i] : "";
      if (i + 1 == widths.size()) {
        // Never below what a word needs: a narrow terminal wraps rather than hides.
        cell = cut(cell, std::max<std::size_t>(width > at ? width - at : 0, 20), unicode);
      }
      text += cell + std::string(widths[i] + kGap - std::min(widths[i], display_width(cell)), ' ');
      at += widths[i] + kGap;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line(head);
  for (const Row& row : rows) line(row);
  return out;
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t at = indent;
  std::size_t start = 0;
  bool first = true;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    start = end + 1;
    if (word.empty()) continue;
    const std::size_t columns = display_width(word);
    if (!first && at + 1 + columns > width) {
      out += "\n" + std::string(indent, ' ');
      at = indent;
    } else if (!first) {
      out += ' ';
      ++at;
    }
    out += word;
    at += columns;
    first = false;
  }
  return out;
}

}  // namespace rollcall::report
