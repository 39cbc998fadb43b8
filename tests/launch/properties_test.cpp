// What holds of every rule and every manifest of the catalogue: a severity is the table's until a policy says
// otherwise, and neither the order of documents nor a field that nobody knows changes what is found.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "launch/document/document.h"
#include "launch/policy/policy.h"
#include "launch/rules/registry.h"
#include "tests/launch/manifests.h"

namespace rollcall::launch {
namespace {

using nlohmann::json;
using test::findings_of;
using test::fixture;

/// `wrong` and `right` of every rule.
std::vector<std::string> examples() {
  std::vector<std::string> texts;
  for (const Rule* rule : all_rules())
    for (const char* which : {"/wrong.yaml", "/right.yaml"})
      texts.push_back(fixture("launch/rules/" + std::string(rule->id) + which));
  return texts;
}

std::vector<json> documents_of(const std::string& text) {
  std::vector<json> documents;
  const auto status =
      read_documents(text, [&documents](const Document& document) { documents.push_back(document.value); });
  EXPECT_TRUE(status.ok());
  return documents;
}

/// JSON documents, which are YAML documents too.
std::string joined(const std::vector<json>& documents) {
  std::string text;
  for (const json& document : documents) text += "---\n" + document.dump() + "\n";
  return text;
}

/// What is found, without where in the text: rule, severity, object, path and words, sorted.
std::vector<std::string> found(const std::string& text) {
  std::vector<std::string> lines;
  for (const Finding& finding : findings_of(text))
    lines.push_back(std::string(to_string(finding.severity)) + " " + finding.object.kind + " " + sentence(finding) +
                    " " + finding.patch);
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// The same without words and places: of two objects that cannot both be meant, the later one is told of.
std::vector<std::string> rules_found(const std::string& text) {
  std::vector<std::string> rules;
  for (const Finding& finding : findings_of(text)) rules.push_back(finding.object.kind + " " + finding.rule);
  std::sort(rules.begin(), rules.end());
  return rules;
}

/// Keys that a text has twice are one once it is read; the finding about them goes with them.
bool has_duplicates(const std::string& text) {
  const Findings findings = findings_of(text);
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.rule == "document/duplicate-key"; });
}

/// A name that is near to none that anything has.
constexpr auto kUnknown = "qqUnheardOfQq";

/// Puts an unknown field into the object, its metadata, and below every pod's spec and container.
void add_unknown_fields(json& value) {
  if (value.is_array()) {
    for (json& element : value) add_unknown_fields(element);
  }
  if (!value.is_object()) return;
  for (auto& [key, below] : value.items()) {
    if (key == "containers" && below.is_array())
      for (json& container : below)
        if (container.is_object())
          container[kUnknown] = {{"image", "train:7"}, {"command", {"torchrun", "--nnodes=77"}}};
    add_unknown_fields(below);
  }
  if (value.contains("containers")) value[kUnknown] = true;
}

TEST(Severity, IsTheTablesUntilAPolicySaysOtherwise) {
  int looked_at = 0;
  for (const std::string& text : examples()) {
    Findings findings = findings_of(text);
    for (const Finding& finding : findings) {
      ASSERT_NE(find_rule(finding.rule), nullptr) << finding.rule;
      EXPECT_EQ(finding.severity, find_rule(finding.rule)->severity) << finding.rule;
      EXPECT_EQ(finding.policy, "");
      ++looked_at;
    }
    for (const Severity wanted : {Severity::deny, Severity::warn, Severity::info}) {
      Policy policy;
      for (const Finding& finding : findings) policy.rules[finding.rule] = {wanted, "team"};
      Findings changed = findings;
      EXPECT_TRUE(apply_policy(policy, changed).empty());
      ASSERT_EQ(changed.size(), findings.size());
      for (std::size_t i = 0; i < changed.size(); ++i) {
        EXPECT_EQ(changed[i].severity, wanted);
        EXPECT_EQ(changed[i].message, findings[i].message);
        EXPECT_EQ(changed[i].fix, findings[i].fix);
        EXPECT_EQ(changed[i].place.path, findings[i].place.path);
        EXPECT_EQ(changed[i].policy.empty(), findings[i].severity == wanted);
      }
    }
  }
  EXPECT_GE(looked_at, 80);
}

TEST(OrderOfDocuments, DoesNotMatter) {
  int looked_at = 0;
  for (const std::string& text : examples()) {
    std::vector<json> documents = documents_of(text);
    if (documents.size() < 2 || has_duplicates(text)) continue;
    const auto before = rules_found(joined(documents));
    std::reverse(documents.begin(), documents.end());
    EXPECT_EQ(rules_found(joined(documents)), before) << text;
    std::rotate(documents.begin(), documents.begin() + 1, documents.end());
    EXPECT_EQ(rules_found(joined(documents)), before) << text;
    ++looked_at;
  }
  EXPECT_GE(looked_at, 40);
}

TEST(DocumentsAndTheirJson, AreTheSame) {
  for (const std::string& text : examples()) {
    if (has_duplicates(text)) continue;
    EXPECT_EQ(found(joined(documents_of(text))), found(text)) << text;
  }
}

TEST(UnknownFields, ChangeNothing) {
  for (const std::string& text : examples()) {
    if (has_duplicates(text)) continue;
    std::vector<json> documents = documents_of(text);
    const auto before = found(joined(documents));
    for (json& document : documents) {
      document[kUnknown] = {{"spec", {{"nnodes", 77}}}};
      if (document["spec"].is_object()) document["spec"][kUnknown] = {{"replicas", 77}};
      if (document["metadata"].is_object()) document["metadata"]["annotations"][kUnknown] = "77";
      add_unknown_fields(document);
    }
    EXPECT_EQ(found(joined(documents)), before) << text;
  }
}

}  // namespace
}  // namespace rollcall::launch
