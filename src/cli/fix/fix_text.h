#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rollcall::cli {

/// A finding's patch and where its object stands in a text.
struct Fix {
  int document = 0;         ///< counts non-empty documents from 0
  std::optional<int> item;  ///< index in a List
  std::string patch;        ///< JSON patch of the object
};

struct FixedText {
  std::string text;
  std::vector<std::string> problems;  ///< one for each fix: why it was left out; empty = it is written
};

/// Writes fixes into a YAML or JSON text. Comments, order and layout stay. What comes out was read back: every document
/// is what the patches make of it and the others are as they were, else the fix is left out. The fixes of one call must
/// not touch the same list or mapping, nor one within another: see independent().
FixedText fix_text(const std::string& text, const std::vector<Fix>& fixes);

/// The fixes, by index and in their order, that can be written at once: each touches lists and mappings that none
/// before it touches. The rest must be worked out anew, because places may have moved.
std::vector<std::size_t> independent(const std::vector<Fix>& fixes);

}  // namespace rollcall::cli
