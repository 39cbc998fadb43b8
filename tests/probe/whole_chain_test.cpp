// Probe, child and the doubles of NVIDIA's libraries: everything but the GPUs is real.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "probe/children/leftovers.h"
#include "probe/support/scripted_desk.h"

namespace rollcall::probe::testing {
namespace {

using roll_call::Answer;
using roll_call::CollectiveOrder;
using roll_call::Instruction;
using roll_call::RankOutcome;
using roll_call::Step;
using ::testing::HasSubstr;

class WholeChain : public ::testing::Test {
 protected:
  WholeChain() : desk_(1, 29'497), before_(nccl_files()) {}

  RunningProbe& start(const std::string& scenario) {
    probe_ = std::make_unique<RunningProbe>(
        desk_, 0,
        std::map<std::string, std::string>{{"LD_LIBRARY_PATH", ROLLCALL_DOUBLES_DIR},
                                           {"ROLLCALL_SCENARIO", files_.write("scenario", scenario)},
                                           {"ROLLCALL_SCENARIO_NODE", "gpu-17"},
                                           {"NCCL_SOCKET_IFNAME", "lo"}});
    return *probe_;
  }

  void tell(Step step, std::optional<CollectiveOrder> order = std::nullopt) {
    Instruction instruction;
    instruction.step = step;
    instruction.collective = std::move(order);
    desk_.tell(instruction);
  }

  /// An all-reduce over the first `gpus` GPUs of this node.
  std::optional<Answer> all_reduce(int gpus, int deadline_ms) {
    CollectiveOrder order;
    order.id = 1;
    order.nranks = gpus;
    for (int gpu = 0; gpu < gpus; ++gpu) order.gpus.push_back(gpu);
    order.small_bytes = 4096;
    order.large_bytes = 1 << 20;
    order.deadline_ms = deadline_ms;
    tell(Step::Collective, order);
    return desk_.answer_when(0, [](const Answer& a) { return a.collective && a.collective->done; });
  }

  std::string output() const { return probe_->process->output(); }

  ScriptedDesk desk_;
  TemporaryDirectory files_;
  std::set<std::string> before_;
  std::unique_ptr<RunningProbe> probe_;
};

TEST_F(WholeChain, AHealthyNodeIsReadAndItsGpusReduceTogether) {
  start("gpus = 4\n");
  tell(Step::Gpu);
  const auto gpu = desk_.answer_when(0, [](const Answer& a) { return a.gpu.has_value(); });
  ASSERT_TRUE(gpu) << output();
  EXPECT_EQ(gpu->gpu->error, "");
  EXPECT_TRUE(gpu->gpu->simulated);
  EXPECT_EQ(gpu->gpu->cuda_result, 0);
  ASSERT_EQ(gpu->gpu->gpus.size(), 4U);
  EXPECT_THAT(gpu->gpu->gpus[3].name, HasSubstr("H100"));
  tell(Step::Nccl);
  const auto nccl = desk_.answer_when(0, [](const Answer& a) { return a.nccl.has_value(); });
  ASSERT_TRUE(nccl) << output();
  EXPECT_EQ(nccl->nccl->error, "");
  EXPECT_EQ(nccl->nccl->version, "2.27.5");
  EXPECT_EQ(nccl->nccl->path, ROLLCALL_DOUBLES_DIR "/libnccl.so.2");
  EXPECT_EQ(nccl->nccl->interface_name, "lo");
  const auto done = all_reduce(4, 20'000);
  ASSERT_TRUE(done) << output();
  EXPECT_TRUE(done->collective->simulated);
  ASSERT_EQ(done->collective->ranks.size(), 4U);
  for (const auto& rank : done->collective->ranks) {
    EXPECT_EQ(rank.outcome, RankOutcome::Ok) << rank.step << ": " << rank.error;
    EXPECT_GT(rank.bus_gbytes, 0);
    EXPECT_EQ(rank.gpu, rank.rank);
  }
  EXPECT_EQ(nccl_files(), before_);
}

TEST_F(WholeChain, ARankThatHangsInNcclIsNamedWithTheCallItIsIn) {
  start("[gpu 1]\nhang = ncclAllReduce\n");
  const auto done = all_reduce(2, 3'000);
  ASSERT_TRUE(done) << output();
  ASSERT_EQ(done->collective->ranks.size(), 2U);
  EXPECT_EQ(done->collective->ranks[1].outcome, RankOutcome::TimedOut);
  EXPECT_THAT(done->collective->ranks[1].step, HasSubstr("ncclAllReduce"));
  EXPECT_EQ(nccl_files(), before_);
}

TEST_F(WholeChain, ADeadFabricManagerIsToldByCudasOwnName) {
  start("cuda_init = 802\n");
  tell(Step::Gpu);
  const auto answer = desk_.answer_when(0, [](const Answer& a) { return a.gpu.has_value(); });
  ASSERT_TRUE(answer) << output();
  EXPECT_EQ(answer->gpu->cuda_result, 802);
  EXPECT_EQ(answer->gpu->cuda_name, "CUDA_ERROR_SYSTEM_NOT_READY");
  EXPECT_THAT(output(), HasSubstr("cuInit: CUDA_ERROR_SYSTEM_NOT_READY (802)"));
}

}  // namespace
}  // namespace rollcall::probe::testing
