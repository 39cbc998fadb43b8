#include "launch/check_text.h"

#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/document/document.h"
#include "launch/document/field.h"
#include "launch/document/objects.h"
#include "launch/judge.h"
#include "launch/kinds/beside.h"
#include "launch/kinds/context.h"
#include "launch/kinds/read_launch.h"

namespace rollcall::launch {
namespace {

/// The duplicates that stand in the object at `prefix`, with paths relative to it.
std::vector<Duplicate> duplicates_below(const Document& document, const std::string& prefix) {
  std::vector<Duplicate> below;
  for (const DuplicateKey& key : document.duplicates) {
    if (prefix.empty()) {
      below.push_back({key.path, key.first.line});
    } else if (key.path.starts_with(prefix + ".")) {
      below.push_back({key.path.substr(prefix.size() + 1), key.first.line});
    }
  }
  return below;
}

/// Calls `each` with every object of a document and where it came from.
void for_origins(const Numbered& one, const std::string& file,
                 const std::function<void(const nlohmann::json&, const Origin&)>& each) {
  for_objects(one.document, [&](const Field& object, std::optional<int> item) {
    each(object.json(), {file, one.number, item, &one.document.marks, object.path()});
  });
}

/// One object of a text. Kinds that no reader knows are passed over.
void check_one(const nlohmann::json& object, const Document& document, const Origin& origin, const Context& context,
               TextChecked& checked) {
  std::optional<Launch> launch = read_launch(object, context);
  if (!launch) return;
  ++checked.judged;
  launch->duplicates = duplicates_below(document, origin.prefix);
  Checked found = judge(*launch, origin);
  std::move(found.findings.begin(), found.findings.end(), std::back_inserter(checked.findings));
  std::move(found.ignored.begin(), found.ignored.end(), std::back_inserter(checked.ignored));
}

/// `3:14: words` apart.
Unreadable unreadable_of(const std::string& message) {
  Unreadable one{{}, message};
  int used = 0;
  if (std::sscanf(message.c_str(), "%d:%d: %n", &one.mark.line, &one.mark.column, &used) == 2 && used > 0)
    one.message = message.substr(static_cast<std::size_t>(used));
  return one;
}

}  // namespace

std::vector<Numbered> documents_beside(const Piece& piece, bool jobs) {
  std::vector<Numbered> documents;
  if (!may_stand_beside(piece.text) && !(jobs && may_be_judged(piece.text))) return documents;
  int number = piece.document;
  // The second pass tells of an error: it comes by the same place.
  (void)read_piece(piece, [&](Document document) { documents.push_back({number++, std::move(document)}); });
  return documents;
}

void add_context(const Numbered& one, const std::string& file, Context& context) {
  for_origins(one, file,
              [&context](const nlohmann::json& object, const Origin& origin) { context.add(object, origin); });
}

TextChecked check_piece(const Piece& piece, const std::string& file, const Context& context) {
  TextChecked checked;
  checked.documents = piece.documents;
  int number = piece.document;
  const Status read = read_piece(piece, [&](Document document) {
    const Numbered one{number++, std::move(document)};
    for_origins(one, file, [&](const nlohmann::json& object, const Origin& origin) {
      check_one(object, one.document, origin, context, checked);
    });
  });
  if (!read.ok()) checked.unreadable.push_back(unreadable_of(read.error().message));
  return checked;
}

TextChecked check_whole(std::string_view text, const std::string& file) {
  std::vector<Piece> pieces;
  Pieces cut;
  cut.feed(text);
  cut.finish();
  while (std::optional<Piece> piece = cut.next()) pieces.push_back(std::move(*piece));
  Context context;
  for (const Piece& piece : pieces)
    for (const Numbered& one : documents_beside(piece, context.jobs() < kSeveral)) add_context(one, file, context);
  TextChecked whole;
  for (const Piece& piece : pieces) {
    TextChecked part = check_piece(piece, file, context);
    std::move(part.findings.begin(), part.findings.end(), std::back_inserter(whole.findings));
    std::move(part.ignored.begin(), part.ignored.end(), std::back_inserter(whole.ignored));
    std::move(part.unreadable.begin(), part.unreadable.end(), std::back_inserter(whole.unreadable));
    whole.documents += part.documents;
    whole.judged += part.judged;
  }
  return whole;
}

Result<Findings> check_text(std::string_view text, const std::string& file) {
  TextChecked checked = check_whole(text, file);
  if (checked.unreadable.empty()) return std::move(checked.findings);
  const auto& [mark, message] = checked.unreadable.front();
  return Error{fmt::format("{}{}{}:{}: {}", file, file.empty() ? "" : ":", mark.line, mark.column, message)};
}

}  // namespace rollcall::launch
