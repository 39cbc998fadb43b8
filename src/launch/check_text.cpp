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
#include "launch/judge.h"
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

void add_context(std::string_view text, const std::string& file, Context& context) {
  int number = 0;
  // An error is told by the second pass, which comes by the same place.
  (void)read_documents(text, [&](const Document& document) {
    for_objects(document, file, number,
                [&context](const nlohmann::json& object, const Origin& origin) { context.add(object, origin); });
    ++number;
  });
}

TextChecked check_text(std::string_view text, const std::string& file, const Context& context) {
  TextChecked checked;
  const Status read = read_documents(text, [&](const Document& document) {
    for_objects(document, file, checked.documents, [&](const nlohmann::json& object, const Origin& origin) {
      check_one(object, document, origin, context, checked);
    });
    ++checked.documents;
  });
  if (!read.ok()) {
    checked.unreadable.push_back(unreadable_of(read.error().message));
    ++checked.documents;
  }
  return checked;
}

Result<Findings> check_text(std::string_view text, const std::string& file) {
  Context context;
  add_context(text, file, context);
  TextChecked checked = check_text(text, file, context);
  if (checked.unreadable.empty()) return std::move(checked.findings);
  const Unreadable& first = checked.unreadable.front();
  return Error{
      fmt::format("{}{}{}:{}: {}", file, file.empty() ? "" : ":", first.mark.line, first.mark.column, first.message)};
}

}  // namespace rollcall::launch
