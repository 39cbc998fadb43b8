#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rollcall::launch::shell {

/// A piece of a word: literal text, something to be looked up, or what only the shell can work out.
struct Part {
  enum class Kind {
    literal,
    variable,    ///< `$NAME`, and `${NAME:-WORD}` with its kin
    list,        ///< `${NAME[@]}`: every element of an array
    elements,    ///< `(…)` behind `NAME=`: what is assigned to an array
    positional,  ///< `$1`, `$@`
    filled_in,   ///< a variable whose value the kubelet wrote into the script
    open,
  };
  /// When `instead` stands for the variable: where it is not set, or where it is not set or empty.
  enum class When { never, unset, empty };

  Kind kind = Kind::literal;
  std::string text;     ///< the literal (holes of the kubelet kept), a name, or the source of what is open
  bool quoted = false;  ///< not split into words
  When when = When::never;
  std::string instead = {};  ///< WORD of `${NAME:-WORD}`, as it is written
  bool assigns = false;      ///< `:=`
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
