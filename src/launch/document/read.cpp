#include <fmt/format.h>

#include "launch/document/document.h"
#include "launch/document/limits.h"
#include "launch/document/parsers.h"

namespace rollcall::launch {

Status read_documents(std::string_view text, const std::function<void(Document)>& each) {
  if (text.size() > kMaxTextBytes) {
    return Error{fmt::format("1:1: the text has {} bytes, at most {} are read; split it", text.size(), kMaxTextBytes)};
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return Done{};
  if (text[first] != '{') return read_yaml(text, each);
  // `{` begins JSON, or a flow mapping of YAML, as for kubectl: what is no JSON is tried as YAML. read_json gives
  // nothing to `each` before the whole text was read, so a failed try leaves no trace.
  const Status json = read_json(text, each);
  if (json.ok() || json.error().code != kSyntax) return json;
  const Status yaml = read_yaml(text, each);
  // A key in quotes: a person meant JSON.
  const std::size_t second = text.find_first_not_of(" \t\r\n", first + 1);
  const bool meant_json = second != std::string_view::npos && text[second] == '"';
  return yaml.ok() || !meant_json ? yaml : json;
}

}  // namespace rollcall::launch
