#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "base/markup.h"
#include "base/printable.h"
#include "report/html/html.h"

namespace rollcall::report::html {

std::string esc(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (const auto entity = entity_of(c); !entity.empty()) {
      out += entity;
    } else if (c == '\'') {
      out += "&#39;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string num(double value) {
  if (!std::isfinite(value)) return "0";
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

const char* glyph(char letter) {
  switch (letter) {
    case 'P':
      return "✓";
    case 'F':
      return "✗";
    case 'S':
      return "–";
    case 'R':
      return "…";
    default:
      return "·";
  }
}

std::string_view css_class(char letter) {
  switch (letter) {
    case 'P':
      return "p";
    case 'F':
      return "f";
    case 'S':
      return "s";
    case 'R':
      return "r";
    default:
      return "w";
  }
}

std::string stage_title(const std::string& name) {
  if (name == "Gpu") return "GPU";
  if (name == "Nccl") return "NCCL";
  if (name == "Gathering") return "Answered";
  if (name == "NodeCollective") return "In-node collective";
  if (name == "JobCollective") return "Job-wide collective";
  if (name == "Checks") return "Own checks";
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool upper = std::isupper(byte) != 0;
    if (upper && !out.empty()) out += ' ';
    out += upper && !out.empty() ? static_cast<char>(std::tolower(byte)) : c;
  }
  return out;
}

}  // namespace rollcall::report::html
