#include "base/printable.h"

#include <gtest/gtest.h>

namespace rollcall {
namespace {

TEST(Printable, ControlCharactersAndBrokenBytesBecomeQuestionMarks) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a?[31mb");
  EXPECT_EQ(printable("\xc2\x9b"
                      "é"),
            "?é");
  EXPECT_EQ(printable("\xff"
                      "a\xc3"),
            "?a?");
  EXPECT_EQ(printable("\xc0\xaf"), "??");       // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");  // a surrogate
  EXPECT_EQ(printable("plain – 日本"), "plain – 日本");
}

TEST(Printable, MarksThatTurnTheDirectionBecomeQuestionMarks) {
  EXPECT_EQ(printable("a\u202e"
                      "b\u2066"
                      "c\u2028"),
            "a?b?c?");
  EXPECT_EQ(printable("\u05d0\u0627"), "\u05d0\u0627") << "letters that run from the right stay";
}

TEST(Printable, ClippedNeverCutsACharacter) {
  EXPECT_EQ(clipped("aé", 2), "a");
  EXPECT_EQ(clipped("aé", 3), "aé");
  EXPECT_EQ(clipped("日本", 5), "日");
}

TEST(Printable, WidthIsCountedInColumns) {
  EXPECT_EQ(display_width("gpu-17"), 6u);
  EXPECT_EQ(display_width("é✓…"), 3u);
  EXPECT_EQ(display_width("日本"), 4u);
  EXPECT_EQ(display_width("e\xcc\x81"), 1u);  // e and a combining accent
}

}  // namespace
}  // namespace rollcall
