#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/fix/lines.h"
#include "launch/document/document.h"

namespace rollcall::cli {

/// Bytes `from` to `to` of a text become `text`.
struct Edit {
  std::size_t from = 0;
  std::size_t to = 0;
  std::string text;
};

/// The edits that make of `before`, which stands in the text at `marks`, the value `after`, and touch nothing else:
/// comments, order and layout stay. `json`: the text is JSON, so values are written as JSON. An Error names what cannot
/// be edited so. Whoever applies them must read the result back: what repeats by an alias or a merge key is not seen
/// here.
Result<std::vector<Edit>> edits_between(const Lines& lines, const nlohmann::json& before, const nlohmann::json& after,
                                        const launch::Marks& marks, bool json);

/// The text with all edits applied. nullopt-like Error when two overlap.
Result<std::string> applied(std::string_view text, std::vector<Edit> edits);

}  // namespace rollcall::cli
