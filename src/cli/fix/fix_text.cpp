#include "cli/fix/fix_text.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/result.h"
#include "cli/fix/edits.h"
#include "cli/fix/lines.h"
#include "launch/document/document.h"
#include "launch/document/path.h"

namespace rollcall::cli {
namespace {

using Json = nlohmann::json;

Result<std::vector<launch::Document>> documents_of(const std::string& text) {
  std::vector<launch::Document> documents;
  const Status read =
      launch::read_documents(text, [&](launch::Document document) { documents.push_back(std::move(document)); });
  if (!read.ok()) return read.error();
  return documents;
}

/// The object's place in its document, as a pointer.
std::string prefix_of(const Fix& fix) { return fix.item ? "/items/" + std::to_string(*fix.item) : ""; }

/// The document with the patch applied.
Result<Json> patched(const Json& document, const Fix& fix) {
  Json operations = Json::parse(fix.patch, nullptr, false);
  if (!operations.is_array()) return Error{"the patch is none"};
  for (Json& operation : operations) {
    for (const char* name : {"path", "from"})
      if (operation.contains(name)) operation[name] = prefix_of(fix) + operation[name].get<std::string>();
  }
  try {
    return document.patch(operations);
  } catch (const Json::exception& error) {
    return Error{error.what()};
  }
}

bool is_json(const std::string& text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const std::size_t first =
      text.find_first_not_of(" \t\r\n", text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  return first != std::string::npos && text[first] == '{' && Json::accept(text);
}

/// Edits are made with line feeds; in a text whose first line ends otherwise, their lines end as that one does.
void end_lines_as(const std::string& text, std::vector<Edit>& edits) {
  const std::size_t first = text.find('\n');
  if (first == std::string::npos || first == 0 || text[first - 1] != '\r') return;
  for (Edit& edit : edits)
    for (std::size_t at = 0; (at = edit.text.find('\n', at)) != std::string::npos; at += 2)
      if (at == 0 || edit.text[at - 1] != '\r') edit.text.insert(at, 1, '\r');
}

/// All fixes at once, or why not.
Result<std::string> written(const std::string& text, const std::vector<const Fix*>& fixes) {
  const auto before = documents_of(text);
  if (!before.ok()) return before.error();
  std::map<std::size_t, Json> after;
  for (const Fix* fix : fixes) {
    const auto number = static_cast<std::size_t>(fix->document);
    if (number >= before->size()) return Error{"the document is not there"};
    auto& value = after.try_emplace(number, (*before)[number].value).first->second;
    auto now = patched(value, *fix);
    if (!now.ok()) return now.error();
    value = std::move(now.value());
  }
  const Lines lines(text);
  const bool json = is_json(text);
  std::vector<Edit> edits;
  for (const auto& [number, value] : after) {
    const launch::Document& document = (*before)[number];
    auto more = edits_between(lines, document.value, value, document.marks, json);
    if (!more.ok()) return more.error();
    std::move(more.value().begin(), more.value().end(), std::back_inserter(edits));
  }
  end_lines_as(text, edits);
  auto out = applied(text, std::move(edits));
  if (!out.ok()) return out;
  const auto read_back = documents_of(*out);
  if (!read_back.ok() || read_back->size() != before->size())
    return Error{"the edited text would not read as it should"};
  for (std::size_t i = 0; i < read_back->size(); ++i) {
    const auto changed = after.find(i);
    if ((*read_back)[i].value != (changed == after.end() ? (*before)[i].value : changed->second))
      return Error{"an alias, a merge key or the layout would make another change of it"};
  }
  return out;
}

class Writer {
 public:
  Writer(std::string text, const std::vector<Fix>& fixes)
      : fixes_(fixes), fixed_{std::move(text), std::vector<std::string>(fixes.size())} {}

  /// One that cannot be written must not keep the others from it: halves of a failed lot are tried alone.
  void write(std::size_t from, std::size_t to) {
    if (from == to) return;
    std::vector<const Fix*> lot;
    for (std::size_t i = from; i < to; ++i) lot.push_back(&fixes_[i]);
    auto out = written(fixed_.text, lot);
    if (out.ok()) {
      fixed_.text = std::move(out.value());
    } else if (to - from == 1) {
      fixed_.problems[from] = out.error().message;
    } else {
      write(from, from + (to - from) / 2);
      write(from + (to - from) / 2, to);
    }
  }

  FixedText take() { return std::move(fixed_); }

 private:
  const std::vector<Fix>& fixes_;
  FixedText fixed_;
};

/// What an operation at a pointer moves: a whole list where it ends in an index, because entries behind it shift; else
/// the place alone.
std::string moved(const std::string& pointer) {
  const auto slash = pointer.rfind('/');
  if (slash == std::string::npos) return pointer;
  const bool index = pointer.find_first_not_of("0123456789-", slash + 1) == std::string::npos;
  return index ? pointer.substr(0, slash) : pointer;
}

bool meet(const std::string& a, const std::string& b) {
  const std::string& shorter = a.size() < b.size() ? a : b;
  const std::string& longer = a.size() < b.size() ? b : a;
  return longer == shorter || (longer.starts_with(shorter) && longer[shorter.size()] == '/');
}

}  // namespace

FixedText fix_text(const std::string& text, const std::vector<Fix>& fixes) {
  Writer writer(text, fixes);
  writer.write(0, fixes.size());
  return writer.take();
}

std::vector<std::size_t> independent(const std::vector<Fix>& fixes) {
  std::map<int, std::vector<std::string>> taken;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < fixes.size(); ++i) {
    std::set<std::string> touched;
    for (const Json& operation : Json::parse(fixes[i].patch, nullptr, false)) {
      for (const char* name : {"path", "from"})
        if (operation.contains(name)) touched.insert(prefix_of(fixes[i]) + moved(operation[name].get<std::string>()));
    }
    auto& others = taken[fixes[i].document];
    const bool free = std::none_of(touched.begin(), touched.end(), [&](const std::string& one) {
      return std::any_of(others.begin(), others.end(), [&](const std::string& other) { return meet(one, other); });
    });
    if (!free) continue;
    others.insert(others.end(), touched.begin(), touched.end());
    out.push_back(i);
  }
  return out;
}

}  // namespace rollcall::cli
