#pragma once

#include <functional>
#include <string_view>

#include "launch/document/document.h"

namespace rollcall::launch {

/// Code of read_json's Error for a text that is no JSON: it may be YAML still.
inline constexpr auto kSyntax = "syntax";

/// The YAML half and the JSON half of read_documents(). `first_line` is the number of the text's first line.
Status read_yaml(std::string_view text, int first_line, const std::function<void(Document)>& each);
Status read_json(std::string_view text, int first_line, const std::function<void(Document)>& each);

}  // namespace rollcall::launch
