// `rollcall-probe-child collective` with NVIDIA's own libraries, as far as they come without a GPU: the double of
// libcuda gives them a device, and their own CUDA run time finds that driver wanting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "child/support/child.h"

namespace rollcall::child::testing {
namespace {

using ::testing::HasSubstr;

class CollectiveOfTheRealNccl : public ::testing::TestWithParam<const char*> {};

TEST_P(CollectiveOfTheRealNccl, MakesAnIdAndSaysInItsOwnLogWhyItCannotJoin) {
  const auto library = std::string(ROLLCALL_CACHE) + "/nccl/" + GetParam() + "/nvidia/nccl/lib/libnccl.so.2";
  if (!std::filesystem::exists(library))
    GTEST_SKIP() << "NCCL " << GetParam() << " is not here; dev/deps --nccl-all brings it";
  const Doubles doubles("");
  const auto ran = run({child_program(), "collective", "--library", library, "--rank", "0", "--nranks", "1", "--gpu",
                        "0", "--small", "4096", "--large", "0", "--make-id"},
                       doubles.environment());
  EXPECT_EQ(ran.code, 1);
  std::string id;
  std::optional<roll_call::RankResult> rank;
  for (const auto& line : ran.lines) {
    if (!line.unique_id.empty()) id = line.unique_id;
    if (line.rank) rank = line.rank;
  }
  EXPECT_EQ(id.size(), 256U);
  ASSERT_TRUE(rank) << ran.output;
  EXPECT_EQ(rank->outcome, roll_call::RankOutcome::Error);
  EXPECT_EQ(rank->step, "ncclCommInitRank");
  EXPECT_EQ(rank->result, 1);
  // Of its log, which the child takes in memory; ncclGetErrorString would say "unhandled cuda error".
  EXPECT_THAT(rank->error, HasSubstr("Cuda failure"));
}

INSTANTIATE_TEST_SUITE_P(Releases, CollectiveOfTheRealNccl, ::testing::Values("2.18.1", "2.21.5", "2.27.5", "2.32.3"),
                         [](const auto& one) {
                           std::string name = std::string("Nccl") + one.param;
                           for (char& c : name)
                             if (c == '.') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace rollcall::child::testing
