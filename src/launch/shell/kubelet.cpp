#include "launch/shell/kubelet.h"

#include <algorithm>
#include <string>

namespace rollcall::launch {

Text variable(std::string_view name, const std::vector<EnvEntry>& env) {
  const auto entry = std::find_if(env.rbegin(), env.rend(), [name](const EnvEntry& e) { return e.name == name; });
  if (entry == env.rend()) return Text::open("`" + std::string(name) + "` is set at run time", name);
  return entry->value;
}

Text expand(std::string_view text, const std::vector<EnvEntry>& env) {
  Text out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '$' || at + 1 == text.size()) {
      out.text += text[at];
    } else if (text[at + 1] == '$') {
      out.text += '$';
      ++at;
    } else if (const std::size_t end = text.find(')', at); text[at + 1] == '(' && end != std::string_view::npos) {
      const std::string_view name = text.substr(at + 2, end - at - 2);
      // `$(hostname -i)` and `$((N+1))` are the shell's: left for its reader.
      if (name.find_first_of(" \t\n()|;&<>'\"`$") != std::string_view::npos) {
        out.text += text[at];
        continue;
      }
      out.add(variable(name, env));
      at = end;
    } else {
      out.text += text[at];
    }
  }
  return out;
}

}  // namespace rollcall::launch
