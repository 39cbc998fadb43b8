#include "launch/check.h"

#include <algorithm>
#include <utility>

#include "launch/document/document.h"
#include "launch/document/field.h"
#include "launch/kinds/training_job.h"
#include "launch/rules/judgement.h"
#include "launch/rules/registry.h"

namespace rollcall::launch {
namespace {

Checked judge(const Launch& launch, const Origin& origin) {
  Judgement judgement(launch.object, origin);
  for (const Rule* rule : all_rules()) rule->check(launch, judgement);
  Checked checked;
  for (Finding& finding : judgement.take()) {
    const auto passed = std::find_if(launch.ignored.begin(), launch.ignored.end(), [&finding](const Ignored& ignored) {
      return ignored.rule == finding.rule && !ignored.reason.empty();
    });
    if (passed == launch.ignored.end()) {
      checked.findings.push_back(std::move(finding));
    } else {
      checked.ignored.push_back({std::move(finding), passed->reason});
    }
  }
  return checked;
}

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

/// One object of a text. Kinds that no reader knows are passed over.
void check_one(const nlohmann::json& object, const Document& document, Origin origin, Findings& findings) {
  if (!is_training_job(object)) return;
  Launch launch = read_training_job(object);
  launch.duplicates = duplicates_below(document, origin.prefix);
  Findings found = judge(launch, origin).findings;
  std::move(found.begin(), found.end(), std::back_inserter(findings));
}

void check_document(const Document& document, const std::string& file, int number, Findings& findings) {
  const Field root(document.value);
  const Field items = root["items"];
  if (!root["kind"].text().ends_with("List") || !items.is_array()) {
    check_one(document.value, document, {file, number, std::nullopt, &document.marks, ""}, findings);
    return;
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    check_one(items[i].json(), document, {file, number, static_cast<int>(i), &document.marks, items[i].path()},
              findings);
  }
}

}  // namespace

Checked check_launch(const nlohmann::json& object) { return judge(read_training_job(object), Origin{}); }

Findings check_object(const nlohmann::json& object) { return check_launch(object).findings; }

Result<Findings> check_text(std::string_view text, const std::string& file) {
  Findings findings;
  int number = 0;
  const Status read =
      read_documents(text, [&](const Document& document) { check_document(document, file, number++, findings); });
  if (!read.ok()) return Error{(file.empty() ? "" : file + ":") + read.error().message};
  return findings;
}

}  // namespace rollcall::launch
