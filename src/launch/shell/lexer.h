#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rollcall::launch::shell {

/// A piece of a word: literal text, a variable to be looked up, or what only the shell can work out.
struct Part {
  enum class Kind { literal, variable, open };
  Kind kind = Kind::literal;
  std::string text;     ///< the literal (holes of the kubelet kept), the variable's name, or the source of what is open
  bool quoted = false;  ///< not split into words
};

struct Token {
  enum class Kind { word, separator };
  Kind kind = Kind::word;
  std::vector<Part> parts;  ///< of a word
  std::string separator;    ///< `;` (and newline) `&` `&&` `||` `|` `(` `)` `;;`

  /// The word, when it is written without any expansion; empty otherwise.
  std::string literal() const;
};

/// The words and separators of a script in the order they stand; comments, redirections and here-documents left out.
/// Reads any text: what is cut off (an open quote) ends at the end of the text. Linear in the size of the text.
std::vector<Token> tokens_of(std::string_view script);

}  // namespace rollcall::launch::shell
