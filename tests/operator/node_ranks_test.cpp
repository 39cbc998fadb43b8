#include "operator/node_ranks.h"

#include <gmock/gmock.h>

namespace rollcall::operator_ {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NodeRanks, AreWrittenAsRangesAndReadAgain) {
  for (const char* text : {"", "0", "0-1", "0,2", "0,3-5", "1-3,5,7-4095"})
    EXPECT_EQ(node_ranks_text(node_ranks_from(text)), text);
}

TEST(NodeRanks, WhatIsNoneIsPassedOver) {
  EXPECT_THAT(node_ranks_from("1,x,-3,4-,5-6,9-7,4096,2147483648"), ElementsAre(1, 5, 6));
  EXPECT_THAT(node_ranks_from(",,"), IsEmpty());
}

}  // namespace
}  // namespace rollcall::operator_
