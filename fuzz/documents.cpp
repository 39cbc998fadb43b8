#include <string>
#include <vector>

#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "launch/document/document.h"
#include "launch/document/limits.h"
#include "launch/document/pieces.h"

// The walk over YAML and JSON below every rule: anchors that stand inside of themselves, aliases of aliases, keys given
// twice, depth, and the cutting of a text into documents.
namespace rollcall::fuzz {
namespace {

using launch::Document;
using launch::Mark;
using launch::Marks;
using launch::Piece;

std::vector<Piece> pieces_of(std::string_view bytes, std::size_t block) {
  std::vector<Piece> pieces;
  launch::Pieces cut;
  for (std::size_t at = 0; at <= bytes.size(); at += block) {
    cut.feed(bytes.substr(at, block));
    if (bytes.size() - at < block) cut.finish();
    while (auto piece = cut.next()) pieces.push_back(std::move(*piece));
  }
  return pieces;
}

/// A value and its marks are trees of one form, within the limits.
void must_fit(const nlohmann::json& value, const Marks& marks, int depth) {
  must(depth <= launch::kMaxDepth || !value.is_structured(), "no value is nested deeper than the limit");
  must(marks.mark.line > 0 && marks.mark.column > 0, "every value has a place");
  must(marks.end.line > 0 || marks.children.empty(), "every value has an end");
  if (!value.is_structured()) return must(marks.children.empty(), "a scalar has nothing below");
  must(value.size() == marks.children.size(), "a value and its marks have as many children");
  must(value.is_object() || marks.keys.empty(), "a list has no keys");
  for (std::size_t i = 0; i < marks.children.size(); ++i) {
    if (value.is_array()) {
      must_fit(value[i], marks.children[i], depth + 1);
      continue;
    }
    const auto found = value.find(marks.keys[i]);
    must(found != value.end(), "a key with a mark is there");
    must_fit(*found, marks.children[i], depth + 1);
  }
}

}  // namespace

void fuzz_documents(std::string_view bytes) {
  const std::vector<Piece> pieces = pieces_of(bytes, bytes.size() + 1);
  const std::vector<Piece> again = pieces_of(bytes, 7);
  must(pieces.size() == again.size(), "blocks do not change how a text is cut");
  int documents = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    must(piece.text == again[i].text && piece.line == again[i].line, "blocks do not change a piece");
    must(piece.document == documents && piece.documents > 0, "pieces are numbered by what is in them");
    documents += piece.documents;
    const Status read = launch::read_piece(piece, [](const Document& document) {
      must_fit(document.value, document.marks, 1);
      must(document.duplicates.size() <= launch::kMaxDuplicates, "no more duplicates are told of than a person reads");
      must(document.marks.at("spec.template[0]").line > 0, "every path leads to a line");
    });
    must(read.ok() || read.error().message.find(':') != std::string::npos, "an error says where");
  }
}

}  // namespace rollcall::fuzz

ROLLCALL_FUZZ_TARGET(documents);
