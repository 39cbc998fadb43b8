#include "cli/fix/emit.h"

#include <algorithm>

#include "launch/document/scalar.h"

namespace rollcall::cli {
namespace {

using Json = nlohmann::json;

/// Letters, digits and what has no meaning to YAML anywhere in a word, in lists of brackets too.
bool plain(const std::string& text) {
  static constexpr std::string_view kFirst = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._";
  static constexpr std::string_view kRest = "+=@%-$()~";
  if (text.empty() || kFirst.find(text[0]) == std::string_view::npos) return false;
  const bool fits = std::all_of(text.begin(), text.end(), [](char c) {
    return kFirst.find(c) != std::string_view::npos || kRest.find(c) != std::string_view::npos;
  });
  return fits && launch::scalar_value(text, "?") == Json(text);
}

std::string quoted(const std::string& text) { return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string word(const std::string& text) { return plain(text) ? text : quoted(text); }

bool by_indentation(const Json& value) { return value.is_structured() && !value.empty(); }

/// The lines of a structured value, each with `indent` blanks but the first.
std::string block(const Json& value, std::size_t indent) {
  std::string out;
  const std::string blanks(indent, ' ');
  if (value.is_object()) {
    for (const auto& [key, below] : value.items()) out += (out.empty() ? "" : blanks) + block_entry(key, below, indent);
  } else {
    for (const Json& below : value) out += (out.empty() ? "" : blanks) + ("- " + block_item(below, indent));
  }
  return out;
}

}  // namespace

std::string inline_yaml(const Json& value) {
  if (value.is_string()) return word(value.get<std::string>());
  if (!value.is_structured()) return value.dump();
  std::string out;
  if (value.is_array()) {
    for (const Json& below : value) out += (out.empty() ? "" : ", ") + inline_yaml(below);
    return "[" + out + "]";
  }
  for (const auto& [key, below] : value.items())
    out += (out.empty() ? "" : ", ") + word(key) + ": " + inline_yaml(below);
  return "{" + out + "}";
}

std::string block_entry(const std::string& key, const Json& value, std::size_t indent) {
  if (!by_indentation(value)) return word(key) + ": " + inline_yaml(value) + "\n";
  // A list's dashes stand under its key, as kubectl prints them.
  const std::size_t below = value.is_array() ? indent : indent + 2;
  return word(key) + ":\n" + std::string(below, ' ') + block(value, below);
}

std::string block_item(const Json& value, std::size_t indent) {
  return by_indentation(value) ? block(value, indent + 2) : inline_yaml(value) + "\n";
}

}  // namespace rollcall::cli
