#include "launch/rules/nccl_env/interface_names.h"

#include <algorithm>

namespace rollcall::launch::rules {

InterfaceNames interface_names(std::string_view text) {
  InterfaceNames read;
  read.except = text.starts_with('^');
  if (read.except) text.remove_prefix(1);
  read.exact = text.starts_with('=');
  if (read.exact) text.remove_prefix(1);
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) read.names.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return read;
}

std::string tidied(std::string_view text) {
  const InterfaceNames read = interface_names(text);
  std::string out = std::string(read.except ? "^" : "") + (read.exact ? "=" : "");
  bool first = true;
  for (std::string name : read.names) {
    std::erase_if(name, [](char c) { return c == ' ' || c == '\t' || c == '^' || c == '=' || c == '*'; });
    if (name.empty()) continue;
    out += (first ? "" : ",") + name;
    first = false;
  }
  return out;
}

}  // namespace rollcall::launch::rules
