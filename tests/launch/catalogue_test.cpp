// Every rule's examples: the wrong one brings this rule's finding and no other, the right one none at all, and a patch
// that is printed clears the finding and brings no other.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "launch/document/document.h"
#include "launch/kinds/context.h"
#include "launch/rules/registry.h"
#include "tests/launch/manifests.h"

namespace rollcall::launch {
namespace {

using test::fixture;
using test::short_of;

class Catalogue : public testing::TestWithParam<const Rule*> {
 protected:
  std::string example(const std::string& which) const {
    return fixture("launch/rules/" + std::string(GetParam()->id) + "/" + which + ".yaml");
  }
  /// Most examples leave the volume at /dev/shm out, to be short.
  static Findings as_told(Findings findings) {
    return GetParam()->id == std::string_view("memory/no-shm") ? findings : test::without_shm(std::move(findings));
  }
  static Findings findings_of(const std::string& text) { return as_told(test::all_findings_of(text)); }
};

/// The object of an example; null when others stand beside it, whose part in the finding an object alone does not show.
nlohmann::json object_of(const std::string& text) {
  if (text.find("\n---\n") != std::string::npos) return nullptr;
  nlohmann::json object;
  const auto status = read_documents(text, [&object](const Document& document) { object = document.value; });
  EXPECT_TRUE(status.ok());
  return object;
}

std::vector<nlohmann::json> documents_of(const std::string& text) {
  std::vector<nlohmann::json> documents;
  const auto status =
      read_documents(text, [&documents](const Document& document) { documents.push_back(document.value); });
  EXPECT_TRUE(status.ok());
  return documents;
}

TEST_P(Catalogue, TheWrongExampleIsFound) {
  const Findings findings = findings_of(example("wrong"));
  ASSERT_EQ(findings.size(), 1u) << short_of(findings);
  EXPECT_EQ(findings[0].rule, GetParam()->id);
  EXPECT_EQ(findings[0].severity, GetParam()->severity);
}

TEST_P(Catalogue, TheRightExampleBringsNothing) { EXPECT_EQ(short_of(findings_of(example("right"))), ""); }

TEST_P(Catalogue, TheFindingHasWordsAndAPlace) {
  for (const Finding& finding : findings_of(example("wrong"))) {
    EXPECT_TRUE(finding.message.ends_with(".")) << finding.message;
    EXPECT_FALSE(finding.fix.empty());
    EXPECT_FALSE(finding.place.path.empty());
    EXPECT_GT(finding.place.line, 0);
    EXPECT_GT(finding.place.column, 0);
    EXPECT_EQ(finding.object.name, "llama");
    // What must be replaced in the template's text is quoted, and nothing is left to fill in.
    EXPECT_EQ(sentence(finding).find("{}"), std::string::npos);
  }
}

TEST_P(Catalogue, APatchClearsTheFindingAndBringsNoOther) {
  const std::string wrong = example("wrong");
  for (const Finding& finding : findings_of(wrong)) {
    if (finding.patch.empty()) continue;
    auto documents = documents_of(wrong);
    auto& object = documents.at(static_cast<std::size_t>(finding.place.document));
    ASSERT_FALSE(object["kind"].get<std::string>().ends_with("List")) << "a patch is of one object";
    object = object.patch(nlohmann::json::parse(finding.patch));
    Context context;
    for (const auto& document : documents) context.add(document);
    EXPECT_EQ(short_of(as_told(check_by_kind(object, context).findings)), "") << finding.patch;
  }
}

TEST_P(Catalogue, TheStoredObjectIsJudgedInTheSameWords) {
  // Keys written twice are gone once an object is stored.
  if (GetParam()->id == std::string_view("document/duplicate-key")) return;
  const std::string wrong = example("wrong");
  if (object_of(wrong).is_null()) return;
  const Findings text = findings_of(wrong);
  const Findings stored = as_told(check_by_kind(object_of(wrong)).findings);
  ASSERT_EQ(text.size(), stored.size());
  for (std::size_t i = 0; i < text.size(); ++i) EXPECT_EQ(sentence(text[i]), sentence(stored[i]));
}

TEST_P(Catalogue, TheEntryIsComplete) {
  const Rule& rule = *GetParam();
  EXPECT_NE(rule.id.find('/'), std::string_view::npos);
  for (const auto text : {rule.title, rule.why, rule.wrong, rule.right}) EXPECT_FALSE(text.empty());
  EXPECT_TRUE(rule.why.ends_with("."));
  EXPECT_NE(rule.check, nullptr);
  EXPECT_EQ(find_rule(rule.id), &rule);
}

std::string name_of(const testing::TestParamInfo<const Rule*>& test) {
  std::string name(test.param->id);
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Rules, Catalogue, testing::ValuesIn(all_rules().begin(), all_rules().end()), name_of);

TEST(Registry, IdsAreUnique) {
  std::set<std::string_view> ids;
  for (const Rule* rule : all_rules()) EXPECT_TRUE(ids.insert(rule->id).second) << rule->id;
  EXPECT_EQ(find_rule("gpu/no-such-rule"), nullptr);
}

/// Lines `- ID` of the RollcallPolicy schema's enum of rules.
std::set<std::string> rules_of_the_schema() {
  std::ifstream crd(ROLLCALL_SOURCE_DIR "/charts/rollcall/files/crds/rollcallpolicies.yaml");
  std::set<std::string> ids;
  for (std::string line; std::getline(crd, line);) {
    const auto dash = line.find_first_not_of(' ');
    if (dash == std::string::npos || line.compare(dash, 2, "- ") != 0) continue;
    if (auto id = line.substr(dash + 2); id.find('/') != std::string::npos && id.find(' ') == std::string::npos)
      ids.insert(std::move(id));
  }
  return ids;
}

TEST(Registry, APolicyCanNameEveryRuleAndNoOther) {
  std::set<std::string> rules;
  for (const Rule* rule : all_rules()) rules.emplace(rule->id);
  EXPECT_EQ(rules_of_the_schema(), rules) << "charts/rollcall/files/crds/rollcallpolicies.yaml lists the rules";
}

TEST(Patches, SomeRulesHaveOne) {
  int patches = 0;
  for (const Rule* rule : all_rules()) {
    for (const Finding& finding : test::findings_of(fixture("launch/rules/" + std::string(rule->id) + "/wrong.yaml"))) {
      patches += finding.patch.empty() ? 0 : 1;
    }
  }
  EXPECT_GE(patches, 12);  // else APatchClears… would assert nothing
}

}  // namespace
}  // namespace rollcall::launch
