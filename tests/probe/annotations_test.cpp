#include "probe/annotations.h"

#include <gtest/gtest.h>

namespace rollcall::probe {
namespace {

TEST(AnnotationsFile, ReadsWhatTheKubeletWrites) {
  const auto read = annotations_from("a/b=\"plain\"\nc=\"\"\nd=\"x=y\"");
  EXPECT_EQ(read, (std::map<std::string, std::string>{{"a/b", "plain"}, {"c", ""}, {"d", "x=y"}}));
}

struct Escape {
  const char* quoted;
  const char* plain;
};
class Escapes : public ::testing::TestWithParam<Escape> {};
TEST_P(Escapes, AreThoseOfGosQuote) {
  EXPECT_EQ(annotations_from(std::string("k=\"") + GetParam().quoted + "\"").at("k"), GetParam().plain);
}
INSTANTIATE_TEST_SUITE_P(AnnotationsFile, Escapes,
                         ::testing::Values(Escape{R"(say \"hi\")", "say \"hi\""}, Escape{R"(a\nb)", "a\nb"},
                                           Escape{R"(a\\b)", "a\\b"}, Escape{R"(tab\t)", "tab\t"},
                                           Escape{R"(\x7f)", "\x7f"}, Escape{R"(\u00e9)", "é"},
                                           Escape{R"(\U0001f600)", "😀"}, Escape{"é", "é"}));

class Broken : public ::testing::TestWithParam<const char*> {};
TEST_P(Broken, LineHidesNoOtherLine) {
  const auto read = annotations_from(std::string(GetParam()) + "\ngood=\"1\"\n");
  EXPECT_EQ(read, (std::map<std::string, std::string>{{"good", "1"}}));
}
INSTANTIATE_TEST_SUITE_P(AnnotationsFile, Broken,
                         ::testing::Values("", "no equals", "k=", "k=\"", "k=unquoted", R"(k="a\q")", R"(k="a\x1")",
                                           R"(k="a\")", R"(k="a"b")", R"(k="\u12")"));

TEST(PodSheet, AForeignAnnotationCannotPretendToBeOurs) {
  const auto sheet = pod_sheet_from(
      "note=\"\\nrollcall.dev/master-addr=\\\"10.6.6.6\\\"\"\nrollcall.dev/attempt=\"3\"\nrollcall.dev/"
      "master-addr=\"10.0.0.1\"");
  EXPECT_EQ(sheet.seen.attempt, 3);
  EXPECT_EQ(sheet.seen.master_addr, "10.0.0.1");
  EXPECT_FALSE(sheet.released);
}

TEST(PodSheet, AttemptsThatAreNoNumbersAreNone) {
  for (const char* value : {"", "x", "0", "-1", "1x", "99999999999"}) {
    EXPECT_EQ(pod_sheet_from(std::string("rollcall.dev/attempt=\"") + value + "\"").seen.attempt, 0) << value;
  }
}

PodSheet sheet_of(int attempt, const char* address, std::optional<int> released) {
  PodSheet sheet;
  sheet.seen = {attempt, address};
  sheet.released = released;
  return sheet;
}

TEST(ReleasedBySheet, NeedsStampAttemptAndAddressOfThisAttempt) {
  EXPECT_TRUE(released_by_sheet(sheet_of(2, "10.0.0.1", 2), 2));
  EXPECT_FALSE(released_by_sheet(sheet_of(2, "10.0.0.1", 2), 1)) << "another attempt's";
  EXPECT_FALSE(released_by_sheet(sheet_of(2, "10.0.0.1", 1), 2)) << "a former stamp";
  EXPECT_FALSE(released_by_sheet(sheet_of(1, "10.0.0.1", 2), 2)) << "a former address";
  EXPECT_FALSE(released_by_sheet(sheet_of(2, "", 2), 2)) << "no address";
  EXPECT_FALSE(released_by_sheet(sheet_of(2, "10.0.0.1", std::nullopt), 2)) << "no stamp";
  EXPECT_FALSE(released_by_sheet(sheet_of(0, "10.0.0.1", 0), 0)) << "no attempt";
}

}  // namespace
}  // namespace rollcall::probe
