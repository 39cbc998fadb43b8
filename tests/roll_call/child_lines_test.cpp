#include "roll_call/child_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::roll_call {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

ChildLine read_back(const ChildLine& line) {
  auto read = child_line_from(to_json(line));
  EXPECT_TRUE(read) << read.error().message;
  return read ? *read : ChildLine{};
}

TEST(ChildLine, AStepIsReadableWhateverPathItNames) {
  ChildLine line;
  line.step = "dlopen /opt/" + std::string(400, 'x') + "/libnccl.so.2";
  EXPECT_THAT(read_back(line).step, StartsWith("dlopen /opt/xxx"));
  line.step =
      "dlopen /opt/gr\xf6\xdf"
      "e/libnccl.so.2";  // Latin-1
  EXPECT_THAT(read_back(line).step, EndsWith("/libnccl.so.2"));
}

TEST(ChildLine, HowTheChildEndedIsKept) {
  ChildLine line;
  line.gpu.emplace().not_started = true;
  EXPECT_EQ(read_back(line).gpu, line.gpu);
  line.gpu.reset();
  line.nccl.emplace().cut_short = true;
  EXPECT_EQ(read_back(line).nccl, line.nccl);
}

}  // namespace
}  // namespace rollcall::roll_call
