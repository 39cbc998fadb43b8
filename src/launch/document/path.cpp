#include "launch/document/path.h"

#include <algorithm>
#include <cctype>

namespace rollcall::launch {
namespace {

bool plain(std::string_view key) {
  // Not isalnum: letters are ASCII's in every locale, and each field that is looked at comes by here.
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '$';
  });
}

/// Reads `"key"]` from `at` (behind the bracket) and moves `at` behind it.
std::string quoted_key(std::string_view path, std::size_t& at) {
  std::string key;
  for (++at; at < path.size() && path[at] != '"'; ++at) {
    if (path[at] == '\\' && at + 1 < path.size()) ++at;
    key += path[at];
  }
  at = std::min(path.size(), at + 2);
  return key;
}

}  // namespace

std::string child(const std::string& path, std::string_view key) {
  std::string out;
  out.reserve(path.size() + key.size() + 4);
  out = path;
  if (plain(key)) {
    if (!path.empty()) out += '.';
    out += key;
    return out;
  }
  out += "[\"";
  for (const char c : key) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += "\"]";
  return out;
}

std::string child(const std::string& path, std::size_t index) { return path + "[" + std::to_string(index) + "]"; }

std::vector<PathStep> steps_of(std::string_view path) {
  std::vector<PathStep> steps;
  for (std::size_t at = 0; at < path.size();) {
    if (path[at] == '.') {
      ++at;
    } else if (path[at] == '[') {
      ++at;
      if (at < path.size() && path[at] == '"') {
        steps.emplace_back(quoted_key(path, at));
        continue;
      }
      std::size_t index = 0;
      for (; at < path.size() && std::isdigit(static_cast<unsigned char>(path[at])) != 0; ++at) {
        index = index * 10 + static_cast<std::size_t>(path[at] - '0');
      }
      steps.emplace_back(index);
      if (at < path.size() && path[at] != ']') return steps;
      ++at;
    } else {
      const std::size_t end = std::min(path.find_first_of(".[", at), path.size());
      steps.emplace_back(std::string(path.substr(at, end - at)));
      at = end;
    }
  }
  return steps;
}

std::string pointer_of(std::string_view path) {
  std::string out;
  for (const PathStep& step : steps_of(path)) {
    out += '/';
    if (const auto* index = std::get_if<std::size_t>(&step)) {
      out += std::to_string(*index);
      continue;
    }
    for (const char c : std::get<std::string>(step)) {
      if (c == '~') {
        out += "~0";
      } else if (c == '/') {
        out += "~1";
      } else {
        out += c;
      }
    }
  }
  return out;
}

}  // namespace rollcall::launch
