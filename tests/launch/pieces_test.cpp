#include "launch/document/pieces.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "launch/document/limits.h"

namespace rollcall::launch {
namespace {

std::vector<Piece> pieces(const std::string& text, std::size_t block = std::string::npos) {
  std::vector<Piece> all;
  Pieces cut;
  const auto take = [&] {
    while (auto piece = cut.next()) all.push_back(std::move(*piece));
  };
  for (std::size_t at = 0; at < text.size(); at += std::min(block, text.size() - at)) {
    cut.feed(std::string_view(text).substr(at, block));
    take();
  }
  cut.finish();
  take();
  return all;
}

/// `line/document+documents` of each piece.
std::string places(const std::string& text, std::size_t block = std::string::npos) {
  std::string out;
  for (const Piece& piece : pieces(text, block))
    out += fmt::format("{}{}/{}+{}", out.empty() ? "" : " ", piece.line, piece.document, piece.documents);
  return out;
}

struct Case {
  const char* what;
  const char* text;
  const char* places;
};

const Case kCases[] = {
    {"nothing", "", ""},
    {"a directive and its document on a short line", "%YAML 1.1\n--- {a: 1}\n--- {b: 2}\n", "1/0+1 3/1+1"},
    {"blanks and comments", "  \n# a\n---\n# b\n", ""},
    {"one", "a: 1\n", "1/0+1"},
    {"three", "a: 1\n---\nb: 1\n---\nc: 1\n", "1/0+1 2/1+1 4/2+1"},
    {"a marker first", "---\na: 1\n---\nb: 1", "1/0+1 3/1+1"},
    {"empty ones between", "---\n---\n# b\n---\na: 1\n---\n---\n~\n---\nb: 2\n---\n", "4/0+1 9/1+1"},
    {"a marker at the end", "a: 1\n---", "1/0+1"},
    {"words behind the marker", "a: 1\n--- # second\nb: 1\n--- {c: 1}\n", "1/0+1 2/1+1 4/2+1"},
    {"carriage returns", "a: 1\r\n---\r\nb: 1\r\n", "1/0+1 2/1+1"},
    {"no marker", "a: 1\nb: |\n  ---\n ---\n----\n", "1/0+1"},
    {"a directive", "%YAML 1.1\n---\na: 1\n---\nb: 1\n", "1/0+1 4/1+1"},
    {"a directive further down", "a: 1\n...\n%YAML 1.1\n---\nb: 1\n---\nc: 1\n", "1/0+2 6/2+1"},
    {"ends and beginnings", "a: 1\n...\n---\nb: 1\n...\n", "1/0+1 3/1+1"},
    {"ends without beginnings", "a: 1\n...\nb: 1\n...\n", "1/0+2"},
    {"JSON and JSON", "{\"a\": 1}\n---\n{\"b\": 2}\n", "1/0+1 2/1+1"},
    {"one that is broken", "a: 1\n---\nb: [\n---\nc: 1\n", "1/0+1 2/1+1 4/2+1"},
    {"a quote over the marker", "a: \"\n---\nb: \"\n", "1/0+1 2/1+1"},
};

TEST(Pieces, AreTheDocumentsOfAText) {
  for (const Case& c : kCases) EXPECT_EQ(places(c.text), c.places) << c.what;
}

TEST(Pieces, AreTheSameWhateverTheBlocks) {
  for (const Case& c : kCases)
    for (std::size_t block = 1; block < 9; ++block)
      EXPECT_EQ(places(c.text, block), c.places) << c.what << ", " << block;
}

TEST(Pieces, HoldEveryByteOfWhatIsNotEmpty) {
  const std::string text = "a: 1\n---\nb: |\n  x\n\n---\nc: 1";
  for (std::size_t block = 1; block < text.size(); ++block) {
    std::string together;
    for (const Piece& piece : pieces(text, block)) together += piece.text;
    EXPECT_EQ(together, text);
  }
}

TEST(Pieces, WhatIsTooLongIsSaidAndTheRestIsRead) {
  const std::string text = "a: 1\n---\nb:\n" + std::string(kMaxDocumentBytes + 10, 'x') + "\n---\nc: 1\n";
  for (const std::size_t block : {std::size_t{1} << 20, std::string::npos}) {
    const auto all = pieces(text, block);
    ASSERT_EQ(all.size(), 3u);
    EXPECT_TRUE(all[1].too_long);
    EXPECT_EQ(all[1].line, 2);
    EXPECT_TRUE(all[1].text.empty());
    EXPECT_FALSE(read_piece(all[1], [](const Document&) {}).ok());
    EXPECT_FALSE(all[2].too_long);
    EXPECT_EQ(all[2].line, 5);
    EXPECT_EQ(all[2].document, 2);
  }
}

TEST(Pieces, OfUtf16AreTheWholeText) {
  std::string text = "\xFF\xFE";
  for (const char c : std::string("a: 1\n---\nb: 2\n")) text += {c, '\0'};
  const auto all = pieces(text, 3);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].documents, 2);
}

TEST(Pieces, AreReadWithTheirLines) {
  std::string lines;
  for (const Piece& piece : pieces("a: 1\n---\n\nb: 1\n---\n{\"c\":\n 1}\n"))
    EXPECT_TRUE(read_piece(piece, [&lines](const Document& document) {
                  lines += std::to_string(document.marks.children.front().mark.line);
                }).ok());
  EXPECT_EQ(lines, "147");
}

}  // namespace
}  // namespace rollcall::launch
