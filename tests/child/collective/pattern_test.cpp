#include "child/collective/pattern.h"

#include <gtest/gtest.h>

namespace rollcall::child {
namespace {

std::vector<std::int32_t> summed(Pattern kind, int nranks, std::size_t count) {
  std::vector<std::int32_t> sum(count);
  for (int rank = 0; rank < nranks; ++rank) {
    const auto values = pattern(kind, rank, count);
    for (std::size_t i = 0; i < count; ++i) sum[i] += values[i];
  }
  return sum;
}

TEST(Pattern, SumsAreWhatTheyMustBe) {
  for (const auto kind : {Pattern::ByRank, Pattern::ByOffset})
    for (const int nranks : {1, 2, 7, 64, 4096})
      EXPECT_EQ(wrong_values(kind, nranks, summed(kind, nranks, 300), 0, 300), "");
}

TEST(Pattern, AMissingRankShowsEverywhere) {
  for (const auto kind : {Pattern::ByRank, Pattern::ByOffset})
    EXPECT_NE(wrong_values(kind, 9, summed(kind, 8, 4), 0, 4).find("(4 values are wrong)"), std::string::npos);
}

TEST(Pattern, DataThatLandsElsewhereShowsByOffset) {
  auto values = summed(Pattern::ByOffset, 8, 8);
  std::swap(values[2], values[5]);
  EXPECT_EQ(wrong_values(Pattern::ByOffset, 8, values, 0, 8), "value 2 of 8 is 76, must be 52 (2 values are wrong)");
}

TEST(Pattern, APartKnowsWhereItStands) {
  auto values = summed(Pattern::ByOffset, 3, 500);
  std::vector<std::int32_t> part(values.begin() + 400, values.end());
  EXPECT_EQ(wrong_values(Pattern::ByOffset, 3, part, 400, 500), "");
  part[1] += 1;
  EXPECT_EQ(wrong_values(Pattern::ByOffset, 3, part, 400, 500).substr(0, 18), "value 401 of 500 i");
}

TEST(Pattern, TheLargestJobStaysWithinItsType) {
  // 60,000 ranks: 60,000 x 251 + 60,000 x 59,999 / 2 < 2^31
  EXPECT_EQ(pattern(Pattern::ByOffset, 59999, 251).back(), 59999 + 251);
  EXPECT_EQ(wrong_values(Pattern::ByOffset, 60000, {1799970000 + 60000}, 0, 1), "");
}

}  // namespace
}  // namespace rollcall::child
