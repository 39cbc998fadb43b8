#include "report/table.h"

#include <gtest/gtest.h>

namespace rollcall::report {
namespace {

TEST(Table, ColumnsAreAlignedByWhatIsSeen) {
  EXPECT_EQ(table({"NODE", "STATE"}, {{"日本", "ok"}, {"a", "FAIL"}}, 80, false),
            "NODE  STATE\n日本  ok\na     FAIL\n");
}

TEST(Table, OnlyTheLastColumnIsCut) {
  EXPECT_EQ(table({"N", "DETAIL"}, {{"1", "a text that is far too long for it"}}, 30, false),
            "N  DETAIL\n1  a text that is far too l...\n");
  EXPECT_EQ(table({"N", "DETAIL"}, {{"1", "äöüäöüäöüäöüäöüäöüäöüäöüäöüäöü"}}, 25, true),
            "N  DETAIL\n1  äöüäöüäöüäöüäöüäöüäöü…\n");
}

TEST(Wrapped, BreaksAtSpacesOnly) {
  EXPECT_EQ(wrapped("one two three", 11, 4), "one two\n    three");
  EXPECT_EQ(wrapped("averylongwordindeed x", 8, 2), "averylongwordindeed\n  x");
  EXPECT_EQ(wrapped("  spaced   out ", 80, 0), "spaced out");
  EXPECT_EQ(wrapped("", 80, 0), "");
}

}  // namespace
}  // namespace rollcall::report
