#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace rollcall::launch {

/// A line and a column, both from 1; 0 = not known. Columns count characters, not bytes.
struct Mark {
  int line = 0;
  int column = 0;
};

/// How a value is written.
enum class Style : unsigned char {
  unknown,
  plain,
  single_quoted,
  double_quoted,
  literal,  ///< a block after `|`
  folded,   ///< a block after `>`
  block,    ///< a mapping or list by indentation
  flow,     ///< a mapping or list in brackets, as all of JSON's
};

/// Where each value of a document stands, as a tree of the same form. What an alias or a merge key repeats stands
/// where its anchor is.
struct Marks {
  Mark mark;                      ///< its first character, that of its anchor or tag where it has one
  std::vector<std::string> keys;  ///< of a mapping, beside children; empty for a list
  std::vector<Marks> children;
  /// Behind its last character. A mapping or list by indentation ends where its last value does; a `|` or `>` block
  /// ends at the start of the line behind it, or where the text ends.
  Mark end = {};
  Mark key = {};  ///< its key's first character; not known in a list
  Style style = Style::unknown;

  /// The mark of what stands at `path`, or of the nearest thing above it that is there.
  Mark at(std::string_view path) const;
  /// The marks of what stands at `path`; nullptr when nothing does.
  const Marks* find(std::string_view path) const;
};

/// A key that a mapping has twice: readers differ in which one they take, and strict ones refuse it.
struct DuplicateKey {
  std::string path;
  Mark first;
  Mark second;
};

struct Document {
  nlohmann::json value;
  Marks marks;
  std::vector<DuplicateKey> duplicates;
};

/// Reads every non-empty document of a YAML or JSON text as Kubernetes does (YAML 1.1's `yes` and `017`, merge keys,
/// keys of any scalar) and gives each to `each` before the next is read. An Error says line and column: `3:14: …`. What
/// a text may cost is bounded by limits.h; what is over a limit is an Error. Documents before the error have been
/// given.
Status read_documents(std::string_view text, const std::function<void(Document)>& each);

}  // namespace rollcall::launch
