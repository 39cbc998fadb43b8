#include "launch/shell/kubelet.h"

#include <algorithm>
#include <string>

namespace rollcall::launch {

Text variable(std::string_view name, const std::vector<EnvEntry>& env) {
  const auto entry = std::find_if(env.rbegin(), env.rend(), [name](const EnvEntry& e) { return e.name == name; });
  if (entry == env.rend()) return Text::open("`" + std::string(name) + "` is set at run time", name);
  return entry->value;
}

namespace {

/// Calls `literal` with each character that stays and `filled_in` with the name of each `$(NAME)`.
template <typename Literal, typename FilledIn>
void for_parts(std::string_view text, Literal literal, FilledIn filled_in) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '$' || at + 1 == text.size()) {
      literal(text[at]);
    } else if (text[at + 1] == '$') {
      literal('$');
      ++at;
    } else if (const std::size_t end = text.find(')', at); text[at + 1] == '(' && end != std::string_view::npos) {
      const std::string_view name = text.substr(at + 2, end - at - 2);
      // `$(hostname -i)` and `$((N+1))` are the shell's: left for its reader.
      if (name.find_first_of(" \t\n()|;&<>'\"`$") != std::string_view::npos) {
        literal(text[at]);
        continue;
      }
      filled_in(name);
      at = end;
    } else {
      literal(text[at]);
    }
  }
}

}  // namespace

Text expand(std::string_view text, const std::vector<EnvEntry>& env) {
  Text out;
  for_parts(
      text, [&out](char c) { out.text += c; }, [&](std::string_view name) { out.add(variable(name, env)); });
  return out;
}

std::string expand_script(std::string_view text, const std::vector<EnvEntry>& env) {
  std::string out;
  for_parts(
      text, [&out](char c) { out += c; },
      [&](std::string_view name) {
        const Text value = variable(name, env);
        if (value.known() && value.text.size() <= kLongestFilledIn) {
          out += value.text;
        } else {
          out += kFilledIn + std::string(name) + kFilledInEnd;
        }
      });
  return out;
}

}  // namespace rollcall::launch
