#include <fmt/format.h>

#include "launch/document/document.h"
#include "launch/document/limits.h"
#include "launch/document/parsers.h"
#include "launch/document/pieces.h"

namespace rollcall::launch {

Status read_piece(const Piece& piece, const std::function<void(Document)>& each) {
  if (piece.too_long) {
    return Error{fmt::format("{}:1: the document has more than {} bytes, which is the most that is read; split it",
                             piece.line, kMaxDocumentBytes)};
  }
  const std::string_view text = piece.text;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return Done{};
  if (text[first] != '{') return read_yaml(text, piece.line, each);
  // `{` begins JSON, or a flow mapping of YAML, as for kubectl: what is no JSON is tried as YAML. read_json gives
  // nothing to `each` before the whole text was read, so a failed try leaves no trace.
  const Status json = read_json(text, piece.line, each);
  if (json.ok() || json.error().code != kSyntax) return json;
  const Status yaml = read_yaml(text, piece.line, each);
  // A key in quotes: a person meant JSON.
  const std::size_t second = text.find_first_not_of(" \t\r\n", first + 1);
  const bool meant_json = second != std::string_view::npos && text[second] == '"';
  return yaml.ok() || !meant_json ? yaml : json;
}

Status read_documents(std::string_view text, const std::function<void(Document)>& each) {
  Pieces pieces;
  pieces.feed(text);
  pieces.finish();
  while (const std::optional<Piece> piece = pieces.next())
    if (Status read = read_piece(*piece, each); !read.ok()) return read;
  return Done{};
}

}  // namespace rollcall::launch
