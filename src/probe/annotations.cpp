#include "probe/annotations.h"

#include <algorithm>
#include <charconv>

#include "api/names.h"

namespace rollcall::probe {
namespace {

void append_utf8(std::string& out, std::uint32_t rune) {
  if (rune < 0x80) {
    out += static_cast<char>(rune);
  } else if (rune < 0x800) {
    out += static_cast<char>(0xC0 | (rune >> 6));
    out += static_cast<char>(0x80 | (rune & 0x3F));
  } else if (rune < 0x10000) {
    out += static_cast<char>(0xE0 | (rune >> 12));
    out += static_cast<char>(0x80 | ((rune >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (rune & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | ((rune >> 18) & 0x07));
    out += static_cast<char>(0x80 | ((rune >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((rune >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (rune & 0x3F));
  }
}

std::optional<std::uint32_t> hex(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

/// The inverse of Go's strconv.Quote, without the quotes round it; nullopt for an escape it never writes.
std::optional<std::string> unquoted(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') return std::nullopt;
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i == text.size()) return std::nullopt;
    std::size_t digits = 0;
    switch (text[i]) {
      case 'a':
        out += '\a';
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'v':
        out += '\v';
        break;
      case '\\':
      case '"':
      case '\'':
        out += text[i];
        break;
      case 'x':
        digits = 2;
        break;
      case 'u':
        digits = 4;
        break;
      case 'U':
        digits = 8;
        break;
      default:
        return std::nullopt;
    }
    if (digits == 0) continue;
    if (text.size() - 1 - i < digits) return std::nullopt;
    const auto value = hex(text.substr(i + 1, digits));
    if (!value) return std::nullopt;
    if (digits == 2) {
      out += static_cast<char>(*value);  // \x is a byte, not a character
    } else {
      append_utf8(out, *value);
    }
    i += digits;
  }
  return out;
}

std::optional<int> attempt_number(const std::map<std::string, std::string>& annotations, const char* key) {
  const auto found = annotations.find(key);
  if (found == annotations.end()) return std::nullopt;
  const std::string& text = found->second;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

}  // namespace

std::map<std::string, std::string> annotations_from(std::string_view file) {
  std::map<std::string, std::string> annotations;
  while (!file.empty()) {
    const auto end = std::min(file.find('\n'), file.size());
    const std::string_view line = file.substr(0, end);
    file.remove_prefix(std::min(end + 1, file.size()));
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view quoted = line.substr(equals + 1);
    if (quoted.size() < 2 || quoted.front() != '"' || quoted.back() != '"') continue;
    if (auto value = unquoted(quoted.substr(1, quoted.size() - 2))) {
      annotations.insert_or_assign(std::string(line.substr(0, equals)), std::move(*value));
    }
  }
  return annotations;
}

bool PodSheet::operator==(const PodSheet& other) const {
  return seen.attempt == other.seen.attempt && seen.master_addr == other.seen.master_addr && released == other.released;
}

PodSheet pod_sheet_from(std::string_view file) {
  const auto annotations = annotations_from(file);
  PodSheet sheet;
  sheet.seen.attempt = attempt_number(annotations, api::names::kAnnotationAttempt).value_or(0);
  if (const auto address = annotations.find(api::names::kAnnotationMasterAddr); address != annotations.end()) {
    sheet.seen.master_addr = address->second;
  }
  sheet.released = attempt_number(annotations, api::names::kAnnotationReleased);
  return sheet;
}

bool released_by_sheet(const PodSheet& sheet, int attempt) {
  return attempt > 0 && sheet.released == attempt && sheet.seen.attempt == attempt && !sheet.seen.master_addr.empty();
}

}  // namespace rollcall::probe
