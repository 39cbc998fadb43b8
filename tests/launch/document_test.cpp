#include "launch/document/document.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "launch/document/limits.h"
#include "launch/document/path.h"
#include "launch/document/scalar.h"

namespace rollcall::launch {
namespace {

using nlohmann::json;

std::vector<Document> documents(const std::string& text) {
  std::vector<Document> all;
  const Status status = read_documents(text, [&all](Document document) { all.push_back(std::move(document)); });
  EXPECT_TRUE(status.ok()) << status.error().message;
  return all;
}

json value(const std::string& text) {
  const auto all = documents(text);
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? json() : all[0].value;
}

std::string error(const std::string& text) {
  const Status status = read_documents(text, [](const Document&) {});
  return status.ok() ? "" : status.error().message;
}

std::string at(const Document& document, const std::string& path) {
  const Mark mark = document.marks.at(path);
  return std::to_string(mark.line) + ":" + std::to_string(mark.column);
}

struct ScalarCase {
  const char* text;
  json value;
};

TEST(Scalars, AreReadAsKubernetesReadsThem) {
  const ScalarCase cases[] = {
      {"8", 8},
      {"-8", -8},
      {"+8", 8},
      {"017", 15},
      {"0o17", 15},
      {"0x1F", 31},
      {"0b11", 3},
      {"1_000", 1000},
      {"08", 8.0},
      {"1.5", 1.5},
      {".5", 0.5},
      {"1e3", 1000.0},
      {"yes", true},
      {"Off", false},
      {"y", true},
      {"true", true},
      {"~", nullptr},
      {"null", nullptr},
      {"", nullptr},
      {".inf", ".inf"},
      {".nan", ".nan"},
      {"8 GPUs", "8 GPUs"},
      {"1.2.3.4", "1.2.3.4"},
      {"-", "-"},
      {"2026-01-02", "2026-01-02"},
      {"1:4", "1:4"},
      {"18446744073709551615", 18446744073709551615ull},
      {"99999999999999999999", 1e20},
  };
  for (const ScalarCase& c : cases) EXPECT_EQ(scalar_value(c.text, "?"), c.value) << c.text;
}

TEST(Scalars, QuotedAndTaggedOnesAreText) {
  EXPECT_EQ(scalar_value("8", "!"), "8");
  EXPECT_EQ(scalar_value("yes", "!"), "yes");
  EXPECT_EQ(scalar_value("8", "tag:yaml.org,2002:str"), "8");
  EXPECT_EQ(value("a: !!str 8\nb: '8'\nc: \"8\"\nd: 8"), json({{"a", "8"}, {"b", "8"}, {"c", "8"}, {"d", 8}}));
}

TEST(Keys, AreText) { EXPECT_EQ(value("on: 1\n2: b\n"), json({{"true", 1}, {"2", "b"}})); }

TEST(Yaml, EmptyDocumentsAreNotCounted) {
  const auto all = documents("---\n# nothing\n---\na: 1\n---\n---\nb: 2\n---\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].value, json({{"b", 2}}));
  EXPECT_EQ(at(all[1], "b"), "7:4");
}

TEST(Yaml, NothingAtAllIsNoDocument) {
  EXPECT_TRUE(documents("").empty());
  EXPECT_TRUE(documents("  \n# a comment\n").empty());
}

TEST(Marks, LeadToTheLine) {
  const auto all = documents("spec:\n  list:\n    - a\n    - {x.y/z: 1, b: 2}\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(at(all[0], "spec.list[0]"), "3:7");
  EXPECT_EQ(at(all[0], "spec.list[1][\"x.y/z\"]"), "4:15");
  EXPECT_EQ(at(all[0], "spec.list[1].absent.more"), "4:7");  // the nearest that is there
}

TEST(Marks, OfJson) {
  const std::string text = "{\"a\": [1, -20,\n  \"x\\\"\\\\\", true, null],\n \"b\": {\"c\": 1.5}}";
  const auto all = documents(text);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].value, json::parse(text));
  EXPECT_EQ(at(all[0], "a"), "1:7");
  EXPECT_EQ(at(all[0], "a[0]"), "1:8");
  EXPECT_EQ(at(all[0], "a[1]"), "1:11");
  EXPECT_EQ(at(all[0], "a[2]"), "2:3");
  EXPECT_EQ(at(all[0], "a[3]"), "2:12");
  EXPECT_EQ(at(all[0], "a[4]"), "2:18");
  EXPECT_EQ(at(all[0], "b.c"), "3:13");
}

/// `1:2-3:4 key 5:6 literal` of what stands at `path`.
std::string extent(const Document& document, const std::string& path) {
  static const char* const kStyles[] = {"unknown", "plain", "single", "double", "literal", "folded", "block", "flow"};
  const Marks* marks = document.marks.find(path);
  if (marks == nullptr) return "nothing";
  return fmt::format("{}:{}-{}:{} key {}:{} {}", marks->mark.line, marks->mark.column, marks->end.line,
                     marks->end.column, marks->key.line, marks->key.column,
                     kStyles[static_cast<std::size_t>(marks->style)]);
}

TEST(Marks, SayWhereAValueEnds) {
  const auto all = documents(
      "a:  one # why\n"
      "b:\n"
      "  - 'x'\n"
      "  - \"y\\n\"   # last\n"
      "\n"
      "# a comment\n"
      "c: {d: [1, 2] , e: f }\n"
      "g: |\n"
      "  h\n"
      "  i\n"
      "j: >-\n"
      "  k\n"
      "\n"
      "l:\n"
      "m: &n !!str o\n"
      "p: *n\n"
      "q: plain\n"
      "  on two lines\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(extent(all[0], "a"), "1:5-1:8 key 1:1 plain");
  EXPECT_EQ(extent(all[0], "b"), "3:3-4:10 key 2:1 block");
  EXPECT_EQ(extent(all[0], "b[0]"), "3:5-3:8 key 0:0 single");
  EXPECT_EQ(extent(all[0], "b[1]"), "4:5-4:10 key 0:0 double");
  EXPECT_EQ(extent(all[0], "c"), "7:4-7:23 key 7:1 flow");
  EXPECT_EQ(extent(all[0], "c.d"), "7:8-7:14 key 7:5 flow");
  EXPECT_EQ(extent(all[0], "c.e"), "7:20-7:21 key 7:17 plain");
  EXPECT_EQ(extent(all[0], "g"), "8:4-11:1 key 8:1 literal");
  EXPECT_EQ(extent(all[0], "j"), "11:4-14:1 key 11:1 folded");
  EXPECT_EQ(extent(all[0], "l"), "14:3-14:3 key 14:1 plain");
  EXPECT_EQ(extent(all[0], "m"), "15:4-15:14 key 15:1 plain");
  EXPECT_EQ(extent(all[0], "p"), "15:4-15:14 key 16:1 plain");
  EXPECT_EQ(extent(all[0], "q"), "17:4-18:15 key 17:1 plain");
  EXPECT_EQ(extent(all[0], ""), "1:1-18:15 key 0:0 block");
  EXPECT_EQ(extent(all[0], "c.x"), "nothing");
}

TEST(Marks, OfJsonSayWhereAValueEnds) {
  const auto all = documents("{\"a\": [1, -20,\n  \"x\\\"\\\\\", true, null],\n \"ü\": {\"c\": 1.5}}");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(extent(all[0], "a"), "1:7-2:23 key 1:2 flow");
  EXPECT_EQ(extent(all[0], "a[0]"), "1:8-1:9 key 0:0 plain");
  EXPECT_EQ(extent(all[0], "a[1]"), "1:11-1:14 key 0:0 plain");
  EXPECT_EQ(extent(all[0], "a[2]"), "2:3-2:10 key 0:0 double");
  EXPECT_EQ(extent(all[0], "a[3]"), "2:12-2:16 key 0:0 plain");
  EXPECT_EQ(extent(all[0], "[\"ü\"].c"), "3:13-3:16 key 3:8 plain");
}

TEST(Marks, CountCharactersAndNotBytes) {
  EXPECT_EQ(at(documents("{ü: {ß: 1}}")[0], "[\"ü\"][\"ß\"]"), "1:9");
  EXPECT_EQ(at(documents("{\"ü\": {\"ß\": 1}}")[0], "[\"ü\"][\"ß\"]"), "1:13");
}

TEST(Json, SurrogatesAreReadAndFlowYamlIsNotRefused) {
  EXPECT_EQ(value(R"({"a": "\ud83d\ude00"})"), json({{"a", "\xF0\x9F\x98\x80"}}));
  EXPECT_EQ(value("{a: 1}"), json({{"a", 1}}));
}

TEST(Aliases, RepeatTheirAnchor) {
  EXPECT_EQ(value("a: &x {k: 1}\nb: *x\nc: [*x]\n"),
            json({{"a", {{"k", 1}}}, {"b", {{"k", 1}}}, {"c", json::array({{{"k", 1}}})}}));
}

TEST(Aliases, MergeKeysAreTakenIn) {
  EXPECT_EQ(value("a: &a {x: 1, w: 2}\nb: &b {x: 9, z: 3}\nc: {<<: [*a, *b], w: 7}\n")["c"],
            json({{"x", 1}, {"w", 7}, {"z", 3}}));
  EXPECT_EQ(value("a: &a {x: 1}\nc: {'<<': 1}\n")["c"], json({{"<<", 1}}));
  EXPECT_EQ(error("c: {<<: 1}\n"), "1:9: `<<` takes a mapping or a list of mappings");
}

TEST(Aliases, AnAnchorGivenAnewStandsForTheNewValue) {
  EXPECT_EQ(value("a: &x 1\nb: *x\nc: &x 2\nd: *x\n"), json({{"a", 1}, {"b", 1}, {"c", 2}, {"d", 2}}));
  EXPECT_EQ(error("a: &x 1\nb: &x [*x]\n"), "2:8: the alias stands inside of what it repeats");
  EXPECT_EQ(error("a: &x 1\n---\nb: *x\n"), "3:4: there is no anchor &x before this alias");
}

TEST(Aliases, ACycleIsAnErrorAndNotALoop) {
  EXPECT_EQ(error("a: &x [1, *x]\n"), "1:11: the alias stands inside of what it repeats");
}

TEST(Limits, ABombOfAliasesIsAnError) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += before + (j < 9 ? ", " : "]\n");
  }
  EXPECT_NE(error(bomb).find("more than 200000 values"), std::string::npos) << error(bomb);
}

TEST(Limits, ABombOfMergesIsAnErrorToo) {
  std::string bomb = "a0: &a0 {k: [1, 2, 3, 4, 5, 6, 7, 8, 9]}\n";
  for (int i = 1; i < 20; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {l: {<<: *a" + std::to_string(i - 1) + "}, r: *a" +
            std::to_string(i - 1) + "}\n";
  }
  EXPECT_NE(error(bomb).find("more than 200000 values"), std::string::npos) << error(bomb);
}

TEST(Limits, Depth) {
  EXPECT_EQ(error(std::string(kMaxDepth, '[') + std::string(kMaxDepth, ']')), "");
  EXPECT_NE(error(std::string(kMaxDepth + 1, '[') + std::string(kMaxDepth + 1, ']')).find("nested more than 64 deep"),
            std::string::npos);
  std::string object;
  for (int i = 0; i < 100'000; ++i) object += "{\"a\":";
  EXPECT_NE(error(object).find("nested more than 64 deep"), std::string::npos) << error(object);
  EXPECT_NE(error("[[[[[a]]]]" + std::string(1'000'000, '[')).find(":"), std::string::npos);
}

TEST(Limits, ATokenThatNoDocumentCanBeginWithIsNotReadForEver) {
  EXPECT_TRUE(error(", a: 1\n").starts_with("1:1: this is no YAML: ")) << error(", a: 1\n");
  EXPECT_TRUE(error("a: 1\n---\n, b\n").starts_with("3:1: this is no YAML: ")) << error("a: 1\n---\n, b\n");
  EXPECT_EQ(documents("a: 1\n---\n---\n---\nb: 2\n").size(), 2u);
}

TEST(Limits, Bytes) {
  EXPECT_EQ(error(std::string(kMaxDocumentBytes + 1, '#')),
            "1:1: the document has more than 67108864 bytes, which is the most that is read; split it");
}

TEST(Duplicates, AreToldAndTheLastCounts) {
  const auto all = documents("a: 1\nb:\n  - c: 1\n    c: 2\n");
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].duplicates.size(), 1u);
  EXPECT_EQ(all[0].duplicates[0].path, "b[0].c");
  EXPECT_EQ(all[0].duplicates[0].first.line, 3);
  EXPECT_EQ(all[0].duplicates[0].second.line, 4);
  EXPECT_EQ(all[0].value["b"][0]["c"], 2);
  EXPECT_EQ(documents(R"({"a": 1, "a": 2})")[0].duplicates.size(), 1u);
}

TEST(Errors, OfBytesThatAreNoTextSayWhere) {
  EXPECT_TRUE(error("a: 1\nb: ü\xFF\n").starts_with("2:5: this is no YAML: ")) << error("a: 1\nb: ü\xFF\n");
}

TEST(Errors, SayWhatTheyStandIn) {
  EXPECT_EQ(
      error("a: [1,\n  2\nb: 3\n"),
      "3:2: this is no YAML: did not find expected ',' or ']' while parsing a flow sequence that begins at line 1");
}

TEST(Errors, SayLineAndColumn) {
  EXPECT_EQ(error("a: 1\nb: [1, 2\nc: 3\n").substr(0, 2), "3:");
  EXPECT_NE(error("a: *nobody\n"), "");
  EXPECT_NE(error("? [a]\n: 1\n"), "");
  EXPECT_EQ(error("{\"a\": 1,\n  \"b\" 2}\n"), "2:8: this is no JSON");
}

TEST(Errors, NoBytesBringItDown) {
  // Every byte in every position of a small manifest, and every prefix of it.
  const std::string text = "a: &x {b: [1, '2', \"\\u00e9\"], <<: {c: |\n  d\n}}\ne: *x\n";
  for (std::size_t i = 0; i < text.size(); ++i) {
    (void)error(text.substr(0, i));
    for (int byte = 0; byte < 256; byte += 3) {
      std::string broken = text;
      broken[i] = static_cast<char>(byte);
      (void)error(broken);
    }
  }
}

TEST(Paths, GoBothWays) {
  EXPECT_EQ(child(child(child("", "spec"), "a.b/c"), 3), "spec[\"a.b/c\"][3]");
  EXPECT_EQ(pointer_of("spec[\"a.b/c~\"][3].x"), "/spec/a.b~1c~0/3/x");
  for (const std::string key : {"a", "a.b", "a\"b", "a\\b", "", "nvidia.com/gpu"}) {
    const auto steps = steps_of(child("root", key));
    ASSERT_EQ(steps.size(), 2u) << key;
    EXPECT_EQ(std::get<std::string>(steps[1]), key);
  }
}

}  // namespace
}  // namespace rollcall::launch
