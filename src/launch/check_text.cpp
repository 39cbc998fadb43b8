#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/check.h"
#include "launch/document/document.h"
#include "launch/document/field.h"
#include "launch/judge.h"
#include "launch/kinds/context.h"
#include "launch/kinds/pod_types.h"
#include "launch/kinds/readers.h"

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

/// Calls `each` with every object of a document: itself, or the items of a List.
void for_objects(const Document& document, const std::string& file, int number,
                 const std::function<void(const nlohmann::json&, const Origin&)>& each) {
  const Field root(document.value);
  const Field items = root["items"];
  if (!root["kind"].text().ends_with("List") || !items.is_array()) {
    each(document.value, {file, number, std::nullopt, &document.marks, ""});
    return;
  }
  for (std::size_t i = 0; i < items.size(); ++i)
    each(items[i].json(), {file, number, static_cast<int>(i), &document.marks, items[i].path()});
}

/// A document that holds something to judge, and its place among the non-empty ones.
struct Numbered {
  int number = 0;
  Document document;
};

/// One object of a text. Kinds that no reader knows are passed over.
void check_one(const nlohmann::json& object, const Document& document, const Origin& origin, const Context& context,
               Findings& findings) {
  const KindReader* reader = reader_of(object);
  if (reader == nullptr) return;
  std::optional<Launch> launch = reader->read(object, context);
  if (!launch) return;
  launch->around = &context;
  if (launch->kind != JobKind::training_job) find_wrong_types(*launch);
  launch->duplicates = duplicates_below(document, origin.prefix);
  Findings found = judge(*launch, origin).findings;
  std::move(found.begin(), found.end(), std::back_inserter(findings));
}

}  // namespace

Result<Findings> check_text(std::string_view text, const std::string& file) {
  // The whole input is read before the first object is judged: what an object means may depend on a Service further
  // down. Of documents without anything to judge no more is kept than the context takes.
  std::vector<Numbered> kept;
  Context context;
  int number = 0;
  const Status read = read_documents(text, [&](Document document) {
    bool judged = false;
    for_objects(document, file, number, [&](const nlohmann::json& object, const Origin&) {
      context.add(object);
      judged = judged || reader_of(object) != nullptr;
    });
    if (judged) kept.push_back({number, std::move(document)});
    ++number;
  });
  if (!read.ok()) return Error{(file.empty() ? "" : file + ":") + read.error().message};
  Findings findings;
  for (const Numbered& one : kept) {
    for_objects(one.document, file, one.number, [&](const nlohmann::json& object, const Origin& origin) {
      check_one(object, one.document, origin, context, findings);
    });
  }
  return findings;
}

}  // namespace rollcall::launch
