// What stands for the output of a job's own check.
#include "probe/children/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::probe {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string last_line_of(std::string_view printed, std::size_t piece = 1U << 20) {
  Output output;
  for (; !printed.empty(); printed.remove_prefix(std::min(piece, printed.size())))
    output.take(printed.substr(0, piece));
  return output.last_line();
}

struct Printed {
  const char* name;
  std::string bytes;
  std::string line;
};
class LastLine : public ::testing::TestWithParam<Printed> {};
TEST_P(LastLine, IsTheSameInPiecesOfAnySize) {
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 4096U, 16384U})
    EXPECT_EQ(last_line_of(GetParam().bytes, piece), GetParam().line) << piece;
}
INSTANTIATE_TEST_SUITE_P(Output, LastLine,
                         ::testing::Values(Printed{"None", "", ""}, Printed{"One", "ok", "ok"},
                                           Printed{"Ended", "a\nb\n", "b"},
                                           Printed{"BlankLinesBehind", "value\n \n\t\n\n", "value"},
                                           Printed{"SpacesAtItsEnd", "a b  \t \n", "a b"},
                                           Printed{"ProgressBar", "10%\r100%\r\n", "100%"},
                                           Printed{"Tabs", "a\tb\n", "a b"}, Printed{"Utf8", "größe 7\n", "größe 7"},
                                           Printed{"Begun", "a\nb", "b"}),
                         [](const auto& test) { return test.param.name; });

TEST(Output, ALineTooLongToShowIsToldApartByItsDigest) {
  const std::string long_line(300'000, 'x');
  const auto shown = last_line_of(long_line + "1");
  EXPECT_THAT(shown, StartsWith(std::string(180, 'x') + " … (300001 bytes, sha256 "));
  EXPECT_LE(shown.size(), 240U);
  EXPECT_NE(shown, last_line_of(long_line + "2"));
  for (const std::size_t piece : {1U, 1000U, 16384U, 65536U}) EXPECT_EQ(shown, last_line_of(long_line + "1", piece));
}

TEST(Output, ALittleTooLongIsToldApartToo) {
  const std::string line(260, 'y');
  EXPECT_NE(last_line_of(line + "1"), last_line_of(line + "2"));
  // printf 'y%.0s' $(seq 300) | sha256sum
  EXPECT_THAT(last_line_of(std::string(300, 'y')), EndsWith("(300 bytes, sha256 9637cfead94a)"));
}

TEST(Output, BytesThatCannotBeShownAreToldApart) {
  const auto one = last_line_of(std::string("\xff\xfe\x00\x01 a", 6));
  const auto other = last_line_of(std::string("\xff\xfd\x00\x01 a", 6));
  EXPECT_THAT(one, HasSubstr("???? a … (6 bytes, sha256 "));
  EXPECT_NE(one, other);
}

TEST(Output, BlanksWithoutEndAreNotKept) {
  Output output;
  for (int i = 0; i < 1000; ++i) output.take(std::string(16384, ' '));
  EXPECT_EQ(output.last_line(), "");
  EXPECT_EQ(output.end(), "");
}

TEST(Output, ItsEndIsKept) {
  Output output;
  for (int i = 0; i < 10'000; ++i) output.take("line " + std::to_string(i) + "\n");
  EXPECT_THAT(output.end(), EndsWith("line 9998\nline 9999"));
  EXPECT_LE(output.end().size(), 4096U);
}

}  // namespace
}  // namespace rollcall::probe
