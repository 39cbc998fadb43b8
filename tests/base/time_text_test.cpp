#include "base/time_text.h"

#include <gtest/gtest.h>

namespace rollcall {
namespace {

using namespace std::chrono_literals;

TEST(TimeText, Rfc3339GoesBothWays) {
  for (const char* text :
       {"1970-01-01T00:00:00Z", "2024-02-29T23:59:59Z", "2026-11-30T15:43:10Z", "9999-12-31T00:00:01Z"}) {
    const auto time = rfc3339_from(text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(rfc3339(*time), text);
  }
}

TEST(TimeText, OffsetsAndFractionsAreUnderstood) {
  EXPECT_EQ(rfc3339_from("2026-11-30T17:43:10+02:00"), rfc3339_from("2026-11-30T15:43:10Z"));
  EXPECT_EQ(rfc3339_from("2026-11-30T10:13:10-05:30"), rfc3339_from("2026-11-30T15:43:10Z"));
  EXPECT_EQ(*rfc3339_from("2026-11-30T15:43:10.123456Z") - *rfc3339_from("2026-11-30T15:43:10Z"), 123ms);
}

TEST(TimeText, AnythingElseIsNoTime) {
  for (const char* text : {"", "now", "2026-11-30", "2026-11-30T15:43:10", "2026-13-30T15:43:10Z",
                           "2026-02-30T15:43:10Z", "2026-11-30T24:00:00Z", "2026-11-30T15:43:10.Z",
                           "2026-11-30T15:43:10+0200", "2026-11-30T15:43:10Zx", "2026-11-30 15:43:10Z"}) {
    EXPECT_FALSE(rfc3339_from(text)) << text;
  }
}

TEST(TimeText, DurationsAreSaidAsAPersonWould) {
  EXPECT_EQ(duration_words(-5s), "0 s");
  EXPECT_EQ(duration_words(40s), "40 s");
  EXPECT_EQ(duration_words(99s), "99 s");
  EXPECT_EQ(duration_words(6min + 59s), "6 min");
  EXPECT_EQ(duration_words(2h), "2 h");
  EXPECT_EQ(duration_words(2h + 5min), "2 h 5 min");
  EXPECT_EQ(time_of_day(*rfc3339_from("2026-11-30T05:03:09Z")), "05:03:09Z");
}

}  // namespace
}  // namespace rollcall
