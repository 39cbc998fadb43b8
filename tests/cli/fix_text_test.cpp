// Patches written into texts: what stands there otherwise stays, byte for byte.
#include "cli/fix/fix_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/fix/emit.h"
#include "launch/check_text.h"
#include "launch/document/document.h"

namespace rollcall::cli {
namespace {

using nlohmann::json;

struct Case {
  const char* name;
  const char* before;
  const char* patch;
  const char* after;
};

class Written : public testing::TestWithParam<Case> {};

TEST_P(Written, AsAPersonWouldHave) {
  const FixedText fixed = fix_text(GetParam().before, {{0, std::nullopt, GetParam().patch}});
  EXPECT_EQ(fixed.problems, std::vector<std::string>{""});
  EXPECT_EQ(fixed.text, GetParam().after);
}

constexpr auto kRemoveA = R"([{"op": "remove", "path": "/m/a"}])";
constexpr auto kRemoveB = R"([{"op": "remove", "path": "/m/b"}])";
constexpr auto kRemove0 = R"([{"op": "remove", "path": "/l/0"}])";
constexpr auto kRemove1 = R"([{"op": "remove", "path": "/l/1"}])";
constexpr auto kAdd = R"([{"op": "add", "path": "/m/c", "value": {"x": [1, "y z"]}}])";
constexpr auto kAppend = R"([{"op": "add", "path": "/l/-", "value": 3}])";
constexpr auto kNine = R"([{"op": "replace", "path": "/m/a", "value": 9}])";

INSTANTIATE_TEST_SUITE_P(
    Texts, Written,
    testing::Values(
        Case{"Value", "m:\n  a: 8   # eight\n  b: 2\n", kNine, "m:\n  a: 9   # eight\n  b: 2\n"},
        Case{"QuotedValue", "m: {a: \"8\", b: 2}\n", kNine, "m: {a: 9, b: 2}\n"},
        Case{"EmptyValue", "m:\n  a:\n  b: 2\n", kNine, "m:\n  a: 9\n  b: 2\n"},
        Case{"BlockOfText", "m:\n  a: |\n    8\n    8\n  b: 2\n", kNine, "m:\n  a: 9\n  b: 2\n"},
        Case{"ValueBehindOtherLetters", "m: {ä: \"ö\", a: 8}\n", kNine, "m: {ä: \"ö\", a: 9}\n"},
        Case{"ValueOfJson", "{\"m\": {\"a\": 8}}", kNine, "{\"m\": {\"a\": 9}}"},
        Case{"Field", "m:\n  # first\n  a: 1  # one\n  # second\n  b: 2\n", kRemoveA,
             "m:\n  # first\n  # second\n  b: 2\n"},
        Case{"LastField", "m:\n  a: 1\n  b:\n    c: |\n      x\n\n# end\nn: 1\n", kRemoveB,
             "m:\n  a: 1\n\n# end\nn: 1\n"},
        Case{"LastFieldOfAText", "m:\n  a: 1\n  b: 2", kRemoveB, "m:\n  a: 1\n"},
        Case{"OnlyField", "m:\n  a: 1\nn: 1\n", kRemoveA, "m: {}\nn: 1\n"},
        Case{"FieldBehindADash", "l:\n- a: 1\n  b: 2\n", R"([{"op": "remove", "path": "/l/0/a"}])", "l:\n- b: 2\n"},
        Case{"FieldInBrackets", "m: {a: 1, b: 2}\n", kRemoveA, "m: {b: 2}\n"},
        Case{"LastFieldInBrackets", "m: {a: 1, b: 2}\n", kRemoveB, "m: {a: 1}\n"},
        Case{"OnlyFieldInBrackets", "m: {a: 1}\n", kRemoveA, "m: {}\n"},
        Case{"FieldOfJson", "{\n  \"m\": {\n    \"a\": 1,\n    \"b\": 2\n  }\n}\n", kRemoveA,
             "{\n  \"m\": {\n    \"b\": 2\n  }\n}\n"},
        Case{"LastFieldOfJson", "{\n  \"m\": {\n    \"a\": 1,\n    \"b\": 2\n  }\n}\n", kRemoveB,
             "{\n  \"m\": {\n    \"a\": 1\n  }\n}\n"},
        Case{"Entry", "l:\n  - a: 1\n    b: 2  # two\n  # next\n  - c\n", kRemove0, "l:\n  # next\n  - c\n"},
        Case{"LastEntry", "l:\n- a\n- b: 1\nm: 1\n", kRemove1, "l:\n- a\nm: 1\n"},
        Case{"OnlyEntry", "l:\n- a: 1\nm: 1\n", kRemove0, "l: []\nm: 1\n"},
        Case{"EntryInBrackets", "l: [a, b, c]\n", kRemove1, "l: [a, c]\n"},
        Case{"FirstEntryInBrackets", "l: [ \"a,\", b ]\n", kRemove0, "l: [ b ]\n"},
        Case{"TwoEntries", "l: [a, --n, \"2\", b]\n",
             R"([{"op": "remove", "path": "/l/1"}, {"op": "remove", "path": "/l/1"}])", "l: [a, b]\n"},
        Case{"TwoEntriesByLine", "l:\n- a\n- --n\n- \"2\"\n- b\n",
             R"([{"op": "remove", "path": "/l/1"}, {"op": "remove", "path": "/l/1"}])", "l:\n- a\n- b\n"},
        Case{"Name", "m:\n  nodeselector: {a: b}  # where\n",
             R"([{"op": "move", "from": "/m/nodeselector", "path": "/m/nodeSelector"}])",
             "m:\n  nodeSelector: {a: b}  # where\n"},
        Case{"NameOfJson", "{\"m\": {\"nodeselector\": 1}}",
             R"([{"op": "move", "from": "/m/nodeselector", "path": "/m/nodeSelector"}])",
             "{\"m\": {\"nodeSelector\": 1}}"},
        Case{"NewField", "m:\n  a: 1\n\nn: 1\n", kAdd, "m:\n  a: 1\n  c:\n    x:\n    - 1\n    - \"y z\"\n\nn: 1\n"},
        Case{"NewFieldAtTheEnd", "m:\n  a: 1", kAdd, "m:\n  a: 1\n  c:\n    x:\n    - 1\n    - \"y z\""},
        Case{"NewFieldInBrackets", "m: {a: 1}\n", kAdd, "m: {a: 1, c: {x: [1, \"y z\"]}}\n"},
        Case{"NewFieldOfEmpty", "m: {}\n", kAdd, "m: {c: {x: [1, \"y z\"]}}\n"},
        Case{"NewFieldOfJson", "{\"m\": {\n  \"a\": 1\n}}", R"([{"op": "add", "path": "/m/c", "value": "x"}])",
             "{\"m\": {\n  \"a\": 1,\n  \"c\": \"x\"\n}}"},
        Case{"NewEntry", "l:\n  - 1\n  - 2  # two\nm: 1\n", kAppend, "l:\n  - 1\n  - 2  # two\n  - 3\nm: 1\n"},
        Case{"NewEntryInBrackets", "l: [1, 2]\n", kAppend, "l: [1, 2, 3]\n"},
        Case{"NewFirstEntry", "l:\n- 2\n", R"([{"op": "add", "path": "/l/0", "value": 1}])", "l:\n- 1\n- 2\n"},
        Case{"LinesOfWindows", "m:\r\n  a: 8\r\n  b: 2\r\n", kRemoveA, "m:\r\n  b: 2\r\n"},
        Case{"NewFieldInLinesOfWindows", "m:\r\n  a: 1\r\n", kAdd,
             "m:\r\n  a: 1\r\n  c:\r\n    x:\r\n    - 1\r\n    - \"y z\"\r\n"},
        Case{"BlockOfTextInLinesOfWindows", "m:\r\n  a: |\r\n    8\r\n\r\n  b: 2\r\n", kNine,
             "m:\r\n  a: 9\r\n\r\n  b: 2\r\n"},
        Case{"JsonBehindAByteOrderMark", "\xEF\xBB\xBF{\n\"m\": {\"a\": 1}}\n",
             R"([{"op": "add", "path": "/m/c", "value": "x"}])", "\xEF\xBB\xBF{\n\"m\": {\"a\": 1, \"c\": \"x\"}}\n"},
        Case{"LastEntryInBracketsByLine", "l: [\n  a, # one\n  b, # two\n]\n", kRemove1, "l: [\n  a, # one\n]\n"},
        Case{"LastEntryInBracketsBehindAComment", "l: [\n  a, # one\n  b ]\n", kRemove1, "l: [\n  a, # one\n ]\n"}),
    [](const testing::TestParamInfo<Case>& one) { return one.param.name; });

TEST(FixText, OtherDocumentsAndItemsStay) {
  const std::string text = "# a\n---\nkind: List\nitems:\n- m: {a: 1}\n- m: {a: 1}\n---\nm: {a: 1}\n";
  const FixedText fixed = fix_text(text, {{0, 1, kNine}, {1, std::nullopt, kNine}});
  EXPECT_EQ(fixed.text, "# a\n---\nkind: List\nitems:\n- m: {a: 1}\n- m: {a: 9}\n---\nm: {a: 9}\n");
}

TEST(FixText, WhatWouldChangeMoreIsLeftOutAndTheRestWritten) {
  const std::string text = "base: &b {a: 8}\nm: *b\no: {a: 8}\n";
  const FixedText fixed = fix_text(
      text, {{0, std::nullopt, kNine}, {0, std::nullopt, R"([{"op": "replace", "path": "/o/a", "value": 9}])"}});
  EXPECT_THAT(fixed.problems[0], testing::HasSubstr("alias"));
  EXPECT_EQ(fixed.problems[1], "");
  EXPECT_EQ(fixed.text, "base: &b {a: 8}\nm: *b\no: {a: 9}\n");
}

TEST(FixText, APatchThatDoesNotFitIsLeftOut) {
  const FixedText fixed = fix_text("m: {}\n", {{0, std::nullopt, kRemoveA}, {7, std::nullopt, kNine}});
  EXPECT_NE(fixed.problems[0], "");
  EXPECT_NE(fixed.problems[1], "");
  EXPECT_EQ(fixed.text, "m: {}\n");
}

TEST(Independent, PatchesOfOneListWaitForEachOther) {
  const auto remove = [](const std::string& path) {
    return Fix{0, std::nullopt, R"([{"op": "remove", "path": ")" + path + R"("}])"};
  };
  EXPECT_THAT(
      independent({remove("/spec/env/0"), remove("/spec/env/1"), remove("/spec/n"), remove("/spec/env/3/value")}),
      testing::ElementsAre(0, 2));
  EXPECT_THAT(independent({remove("/spec/a"), remove("/spec/a"), remove("/spec/b")}), testing::ElementsAre(0, 2));
}

TEST(FixText, EveryPatchOfTheRulesExamplesCanBeWritten) {
  int written = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRules)) {
    if (entry.path().filename() != "wrong.yaml") continue;
    const std::string text = text_of(entry.path());
    const auto found = launch::check_text(text, "");
    ASSERT_TRUE(found.ok());
    for (const Finding& finding : *found) {
      if (finding.patch.empty()) continue;
      const FixedText fixed = fix_text(text, {{finding.place.document, finding.place.item, finding.patch}});
      EXPECT_EQ(fixed.problems[0], "") << entry.path();
      EXPECT_NE(fixed.text, text) << entry.path();
      ++written;
    }
  }
  EXPECT_GT(written, 15);
}

TEST(Emit, StringsAreQuotedWhereYamlWouldReadSomethingElse) {
  for (const char* text :
       {"yes", "017", "1e3", "null", "", "a: b", "- a", "#a", "a #b", "{a}", "*a", "12:30", "~", "a,b", "é"}) {
    json back;
    ASSERT_TRUE(
        launch::read_documents("v: " + inline_yaml(text), [&](const launch::Document& d) { back = d.value; }).ok());
    EXPECT_EQ(back["v"], text);
  }
  EXPECT_EQ(inline_yaml("torchrun"), "torchrun");
  EXPECT_EQ(inline_yaml("$(MASTER_ADDR)"), "\"$(MASTER_ADDR)\"");
  EXPECT_EQ(inline_yaml(json::parse(R"({"a": [1, true, null, "x"]})")), "{a: [1, true, null, x]}");
}

}  // namespace
}  // namespace rollcall::cli
