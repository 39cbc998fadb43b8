#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "launch/document/document.h"

/// Cutting a text into documents without reading them, so that many can be read at once and one that is broken does not
/// hide the others.
namespace rollcall::launch {

/// A part of a text that can be read by itself: one document, save where `...` or `%` keeps several together. Anchors
/// and directives reach no further than their document, so nothing outside of a piece bears on it.
struct Piece {
  std::string text;
  int line = 1;           ///< of the text's first character in the file
  int document = 0;       ///< non-empty documents before it in the file
  int documents = 0;      ///< non-empty ones in it, one that cannot be read included
  bool too_long = false;  ///< it was longer than limits.h allows and is not kept: `text` is empty
};

/// Cuts a text that comes block by block. `---` at the start of a line ends a document wherever it stands: YAML forbids
/// it in every scalar. After a `%` directive it begins the directive's document and is no cut.
class Pieces {
 public:
  void feed(std::string_view block);
  /// Nothing more will be fed.
  void finish() { finished_ = true; }

  /// The next piece; empty documents are passed over. nullopt = it takes another block, or all were given.
  /// What is kept meanwhile is no longer than a document may be and one block.
  std::optional<Piece> next();

 private:
  /// Where the piece at start_ ends; nullopt = not known before another block.
  std::optional<std::size_t> end_of_piece();
  void forget_what_is_too_long();
  Piece take(std::size_t end);

  std::string buffer_;
  std::size_t start_ = 0;    ///< of the present piece in buffer_
  std::size_t scanned_ = 0;  ///< the first line of buffer_ that was not looked at
  bool begun_ = false;       ///< the text's first bytes were seen
  bool finished_ = false;
  bool whole_ = false;      ///< UTF-16, which is not cut
  bool directive_ = false;  ///< a `%` line came: the next `---` is no cut
  bool several_ = false;    ///< the piece may have more than one document
  bool too_long_ = false;   ///< what came of the piece was forgotten
  bool in_line_ = false;    ///< scanned_ is in a line that was forgotten
  int line_ = 1;            ///< of the piece's first character
  int lines_forgotten_ = 0;
  int document_ = 0;
};

/// Reads the documents of a piece, as read_documents() does a text. The Error of one that is too long says so.
Status read_piece(const Piece& piece, const std::function<void(Document)>& each);

}  // namespace rollcall::launch
