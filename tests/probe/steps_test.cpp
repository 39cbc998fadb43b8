// The probe's steps with GPUs: the whole program with a scripted desk and a scripted child.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "probe/support/scripted_desk.h"

namespace rollcall::probe::testing {
namespace {

using roll_call::Answer;
using roll_call::CollectiveOrder;
using roll_call::CollectiveScope;
using roll_call::Instruction;
using roll_call::RankOutcome;
using roll_call::Step;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// What the scripted child answers; `collective` writes its pid beside itself, prints what the test wants, in $BEHAVE.
constexpr auto kChild = R"SH(#!/bin/sh
here=${0%/*}
verb=$1; shift
case $verb in
gpu)
  echo '{"step":"cuInit"}'
  [ "$BEHAVE" = hang ] && exec sleep 1000
  [ "$BEHAVE" = crash ] && kill -SEGV $$
  echo '{"gpu":{"simulated":true,"library":true,"cudaResult":0,"driver":"550.54.15","cudaVersion":12040,"gpus":[{"index":0,"name":"H100"},{"index":1,"name":"H100"}]}}' ;;
nccl)
  [ $# = 2 ] && echo '{"nccl":{"memlockBytes":65536,"error":"no library"}}' && exit 1
  echo '{"step":"ncclGetUniqueId"}'
  [ "$BEHAVE" = crash ] && echo '{"nccl":{"version":"2.27.5"}}' && exit 1
  echo "{\"nccl\":{\"path\":\"$4\",\"version\":\"2.27.5\",\"interfaceResult\":0,\"interfaceName\":\"$NCCL_SOCKET_IFNAME\",\"interfaceAddress\":\"10.1.2.3\"}}" ;;
collective)
  while [ $# -gt 0 ]; do
    case $1 in
    --rank) rank=$2; shift ;; --nranks) nranks=$2; shift ;; --make-id) id=made ;; --unique-id) id=$2; shift ;;
    esac
    shift
  done
  echo $$ >>"$here/pids"
  echo "$rank $id $NCCL_IB_DISABLE" >>"$here/started"
  echo '{"step":"ncclCommInitRank"}'
  [ "$id" = made ] && [ "$BEHAVE" != die ] && echo '{"uniqueId":"0a0b"}'
  [ "$BEHAVE" = die ] && [ "$rank" = 0 ] && kill -SEGV $$
  echo "{\"rank\":{\"rank\":$rank,\"outcome\":\"TimedOut\",\"error\":\"NET/IB : No device found.\"}}"
  [ "$BEHAVE" = hang ] && [ "$rank" = 1 ] && exec sleep 1000
  echo "{\"rank\":{\"rank\":$rank,\"outcome\":\"Ok\",\"busGbytes\":200,\"network\":\"IB\",\"transport\":\"rdma\"},\"simulated\":true}" ;;
esac
)SH";

/// A probe of one node with a directory of programs and an image that has a libnccl.
class GpuProbe : public ::testing::Test {
 protected:
  GpuProbe() : desk_(1, 29'498) {
    ::chmod(bin_.write("rollcall-probe-child", kChild).c_str(), 0755);
    bin_.write("image/libnccl.so.2", "");
  }

  RunningProbe& start(const std::map<std::string, std::string>& more = {}) {
    auto environment = more;
    environment["LD_LIBRARY_PATH"] = bin_.path() + "/image";
    environment.emplace("PATH", "/usr/bin:/bin");
    probe_ =
        std::make_unique<RunningProbe>(desk_, 0, environment, std::vector<std::string>{"--bin-dir=" + bin_.path()});
    return *probe_;
  }

  void tell(Step step, std::optional<CollectiveOrder> order = std::nullopt) {
    Instruction instruction;
    instruction.step = step;
    instruction.collective = std::move(order);
    desk_.tell(instruction);
  }

  template <typename Holds>
  std::optional<Answer> answer_when(const Holds& holds) {
    return desk_.answer_when(0, holds);
  }

  std::vector<std::string> lines(const std::string& file) const {
    std::vector<std::string> out;
    std::ifstream in(bin_.path() + "/" + file);
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }

  bool children_are_gone() const {
    return eventually([&] {
      const auto pids = lines("pids");
      return std::none_of(pids.begin(), pids.end(), [](const auto& pid) { return ::kill(std::stoi(pid), 0) == 0; });
    });
  }

  std::string output() const { return probe_->process->output(); }

  TemporaryDirectory bin_;
  ScriptedDesk desk_;
  std::unique_ptr<RunningProbe> probe_;
};

CollectiveOrder order(int id, CollectiveScope scope, int nranks, std::vector<int> gpus) {
  CollectiveOrder order;
  order.id = id;
  order.scope = scope;
  order.nranks = nranks;
  order.gpus = std::move(gpus);
  order.small_bytes = 4096;
  order.deadline_ms = 20'000;
  return order;
}

TEST_F(GpuProbe, GpusAndNcclAreAskedInTheJobsEnvironment) {
  start({{"ROLLCALL_EXPORTS", R"({"NCCL_SOCKET_IFNAME": "eth7"})"}, {"CUDA_VISIBLE_DEVICES", "0,1"}});
  tell(Step::Gpu);
  const auto gpu = answer_when([](const Answer& a) { return a.gpu.has_value(); });
  ASSERT_TRUE(gpu) << output();
  EXPECT_EQ(gpu->gpu->error, "");
  EXPECT_EQ(gpu->gpu->gpus.size(), 2U);
  EXPECT_EQ(gpu->gpu->visible_devices, 2);
  EXPECT_TRUE(gpu->gpu->simulated);
  tell(Step::Nccl);
  const auto nccl = answer_when([](const Answer& a) { return a.nccl.has_value(); });
  ASSERT_TRUE(nccl) << output();
  EXPECT_EQ(nccl->nccl->error, "");
  EXPECT_EQ(nccl->nccl->path, bin_.path() + "/image/libnccl.so.2");
  EXPECT_EQ(nccl->nccl->source, "job");
  EXPECT_EQ(nccl->nccl->interface_name, "eth7");
  EXPECT_EQ(nccl->nccl->fidelity, "");
  EXPECT_TRUE(nccl->gpu) << "what earlier steps found stays";
  EXPECT_THAT(output(), HasSubstr("gpu: 2 x H100 (simulated), driver 550.54.15, CUDA 12.4"));
  EXPECT_THAT(output(), HasSubstr("nccl: 2.27.5 at "));
}

TEST_F(GpuProbe, AHangIsKilledAtItsDeadlineAndToldWithItsStep) {
  start({{"BEHAVE", "hang"}, {"ROLLCALL_DEADLINE_PERCENT", "1"}});  // of 150 s
  tell(Step::Gpu);
  const auto answer = answer_when([](const Answer& a) { return a.gpu.has_value(); });
  ASSERT_TRUE(answer) << output();
  EXPECT_THAT(answer->gpu->stopped_in, HasSubstr("cuInit for 1."));
  EXPECT_FALSE(answer->gpu->stuck);
  EXPECT_THAT(answer->gpu->error, HasSubstr("was killed at its deadline"));
}

TEST_F(GpuProbe, AnImageWhereTheChildCannotRunIsToldAndFilesAreReadAllTheSame) {
  std::filesystem::remove(bin_.path() + "/rollcall-probe-child");
  start({{"CUDA_VISIBLE_DEVICES", "0"}});
  tell(Step::Gpu);
  const auto gpu = answer_when([](const Answer& a) { return a.gpu.has_value(); });
  ASSERT_TRUE(gpu) << output();
  EXPECT_THAT(gpu->gpu->error, HasSubstr("rollcall-probe-child is not there"));
  EXPECT_TRUE(gpu->gpu->not_started);
  EXPECT_FALSE(gpu->gpu->cut_short);
  EXPECT_EQ(gpu->gpu->visible_devices, 1);
  tell(Step::Nccl);
  const auto nccl = answer_when([](const Answer& a) { return a.nccl.has_value(); });
  ASSERT_TRUE(nccl) << output();
  EXPECT_THAT(nccl->nccl->error, HasSubstr("rollcall-probe-child is not there"));
  EXPECT_TRUE(nccl->nccl->not_started);
  EXPECT_EQ(nccl->nccl->path, bin_.path() + "/image/libnccl.so.2");
  tell(Step::Collective, order(1, CollectiveScope::Node, 1, {0}));
  const auto run = answer_when([](const Answer& a) { return a.collective && a.collective->done; });
  ASSERT_TRUE(run) << output();
  ASSERT_EQ(run->collective->ranks.size(), 1U);
  EXPECT_EQ(run->collective->ranks[0].outcome, RankOutcome::NotStarted);
}

TEST_F(GpuProbe, ABundledNcclIsTheOneNextToTheProbe) {
  bin_.write("libnccl.so.2", "");
  start({{"ROLLCALL_NCCL", "Bundled"}});
  tell(Step::Nccl);
  const auto answer = answer_when([](const Answer& a) { return a.nccl.has_value(); });
  ASSERT_TRUE(answer) << output();
  EXPECT_EQ(answer->nccl->path, bin_.path() + "/libnccl.so.2");
  EXPECT_EQ(answer->nccl->source, "bundled");
}

TEST_F(GpuProbe, ABundledNcclThatNoImageBroughtIsNamed) {
  start({{"ROLLCALL_NCCL", "Bundled"}});
  tell(Step::Nccl);
  const auto answer = answer_when([](const Answer& a) { return a.nccl.has_value(); });
  ASSERT_TRUE(answer) << output();
  EXPECT_THAT(answer->nccl->error, HasSubstr("the probe image brings no libnccl.so.2"));
  EXPECT_EQ(answer->nccl->interface_result, -1);
  EXPECT_EQ(answer->nccl->memlock_bytes, 65536) << "the limits are read all the same";
}

TEST_F(GpuProbe, ASetupThatFailsMakesTheEnvironmentPartial) {
  start({{"ROLLCALL_SETUP", "echo no fabric here >&2; exit 4"}});
  tell(Step::Nccl);
  const auto answer = answer_when([](const Answer& a) { return a.nccl.has_value(); });
  ASSERT_TRUE(answer) << output();
  EXPECT_EQ(answer->nccl->fidelity, "partial: rollCall.setup failed, it ended with status 4: no fabric here");
  EXPECT_THAT(output(), HasSubstr("environment: rollCall.setup failed"));
}

TEST_F(GpuProbe, AnInNodeCollectiveNeedsNoWordFromTheDesk) {
  start();
  auto ordered = order(1, CollectiveScope::Node, 2, {0, 1});
  ordered.env = {{"NCCL_IB_DISABLE", "1"}};
  tell(Step::Collective, ordered);
  const auto answer = answer_when([](const Answer& a) { return a.collective && a.collective->done; });
  ASSERT_TRUE(answer) << output();
  const auto& state = *answer->collective;
  EXPECT_EQ(state.id, 1);
  EXPECT_TRUE(state.simulated);
  ASSERT_EQ(state.ranks.size(), 2U);
  EXPECT_EQ(state.ranks[0].rank, 0);
  EXPECT_EQ(state.ranks[1].rank, 1);
  EXPECT_EQ(state.ranks[1].gpu, 1);
  EXPECT_EQ(state.ranks[1].outcome, RankOutcome::Ok);
  EXPECT_THAT(lines("started"), ElementsAre("0 made 1", "1 0a0b 1"));
  EXPECT_THAT(output(), HasSubstr("collective 1 (in-node, 2 ranks, simulated): 2 of 2 ranks of this node went well"));
}

TEST_F(GpuProbe, OfAJobWideOneTheIdIsToldFirstAndTheOthersStartWhenItComesBack) {
  start();
  auto ordered = order(7, CollectiveScope::Job, 4, {0, 1});
  tell(Step::Collective, ordered);
  const auto made = answer_when([](const Answer& a) { return a.collective && !a.collective->unique_id.empty(); });
  ASSERT_TRUE(made) << output();
  EXPECT_EQ(made->collective->unique_id, "0a0b");
  ASSERT_TRUE(answer_when([](const Answer& a) { return a.collective && a.collective->ranks.size() == 1; }));
  EXPECT_THAT(lines("started"), ElementsAre("0 made "));
  ordered.unique_id = "0a0b";
  tell(Step::Collective, ordered);
  const auto done = answer_when([](const Answer& a) { return a.collective && a.collective->done; });
  ASSERT_TRUE(done) << output();
  EXPECT_EQ(done->collective->ranks.size(), 2U);
  EXPECT_THAT(lines("started"), ElementsAre("0 made ", "1 0a0b ")) << "rank 0 is not started twice";
}

TEST_F(GpuProbe, AnotherNodesRanksStartWithTheOrdersId) {
  start();
  auto ordered = order(7, CollectiveScope::Job, 4, {0, 1});
  ordered.first_rank = 2;
  ordered.unique_id = "0c0d";
  tell(Step::Collective, ordered);
  const auto done = answer_when([](const Answer& a) { return a.collective && a.collective->done; });
  ASSERT_TRUE(done) << output();
  auto started = lines("started");
  std::sort(started.begin(), started.end());
  EXPECT_THAT(started, ElementsAre("2 0c0d ", "3 0c0d "));
}

TEST_F(GpuProbe, ANewOrderEndsTheOldOneWithAllItsChildren) {
  start({{"BEHAVE", "hang"}});
  tell(Step::Collective, order(1, CollectiveScope::Node, 2, {0, 1}));
  ASSERT_TRUE(answer_when([](const Answer& a) { return a.collective && a.collective->ranks.size() == 1; })) << output();
  tell(Step::Collective, order(2, CollectiveScope::Pair, 2, {}));
  const auto answer = answer_when([](const Answer& a) { return a.collective && a.collective->id == 2; });
  ASSERT_TRUE(answer) << output();
  EXPECT_TRUE(children_are_gone());
  EXPECT_TRUE(answer_when([](const Answer& a) { return a.collective->id == 2 && a.collective->done; }))
      << "a node that takes no part says so";
}

TEST_F(GpuProbe, ARankThatHangsIsTimedOutWhileTheOthersHaveTheirResults) {
  start({{"BEHAVE", "hang"}});
  auto ordered = order(1, CollectiveScope::Node, 2, {0, 1});
  ordered.deadline_ms = 1000;
  tell(Step::Collective, ordered);
  const auto answer = answer_when([](const Answer& a) { return a.collective && a.collective->done; });
  ASSERT_TRUE(answer) << output();
  const auto& ranks = answer->collective->ranks;
  ASSERT_EQ(ranks.size(), 2U);
  EXPECT_EQ(ranks[0].outcome, RankOutcome::Ok);
  EXPECT_EQ(ranks[1].outcome, RankOutcome::TimedOut);
  EXPECT_EQ(ranks[1].step, "ncclCommInitRank");
  EXPECT_EQ(ranks[1].error, "NET/IB : No device found.") << "what the library had said until then";
  EXPECT_GT(ranks[1].step_seconds, 0.5);
  EXPECT_TRUE(children_are_gone());
}

TEST_F(GpuProbe, WithoutAnIdTheOthersAreNotStarted) {
  start({{"BEHAVE", "die"}});
  tell(Step::Collective, order(1, CollectiveScope::Node, 2, {0, 1}));
  const auto answer = answer_when([](const Answer& a) { return a.collective && a.collective->done; });
  ASSERT_TRUE(answer) << output();
  const auto& ranks = answer->collective->ranks;
  ASSERT_EQ(ranks.size(), 2U);
  EXPECT_EQ(ranks[0].outcome, RankOutcome::Died);
  EXPECT_THAT(ranks[0].error, HasSubstr("SIGSEGV"));
  EXPECT_EQ(ranks[1].outcome, RankOutcome::NotStarted);
  EXPECT_THAT(ranks[1].error, HasSubstr("rank 0 ended before it had made the id"));
}

TEST_F(GpuProbe, SigtermLeavesNoChildBehind) {
  auto& probe = start({{"BEHAVE", "hang"}});
  tell(Step::Collective, order(1, CollectiveScope::Node, 2, {0, 1}));
  ASSERT_TRUE(answer_when([](const Answer& a) { return a.collective && a.collective->ranks.size() == 1; })) << output();
  probe.process->signal(SIGTERM);
  EXPECT_EQ(probe.process->wait(seconds(20)), 143);
  EXPECT_TRUE(children_are_gone());
}

TEST_F(GpuProbe, ChecksRunOneAfterTheOtherWithinTheirDeadlines) {
  start({{"ROLLCALL_EXPORTS", R"({"FROM_COMMAND": "yes"})"}, {"ROLLCALL_CHECKS", R"([
           {"name": "hash", "command": ["sh", "-c", "echo working; echo $FROM_COMMAND"], "compare": true},
           {"name": "bad", "command": ["sh", "-c", "echo disk is slow >&2; exit 3"]},
           {"name": "slow", "command": ["sleep", "1000"], "deadlineSeconds": 1},
           {"name": "absent", "command": ["no-such-program"]}])"}});
  tell(Step::Checks);
  const auto answer = answer_when([](const Answer& a) { return a.checks && a.checks->done; });
  ASSERT_TRUE(answer) << output();
  const auto& checks = answer->checks->checks;
  ASSERT_EQ(checks.size(), 4U);
  EXPECT_TRUE(checks[0].ran);
  EXPECT_EQ(checks[0].exit_code, 0);
  EXPECT_EQ(checks[0].output, "yes");
  EXPECT_EQ(checks[1].exit_code, 3);
  EXPECT_EQ(checks[1].error, "disk is slow");
  EXPECT_TRUE(checks[2].timed_out);
  EXPECT_GE(checks[2].seconds, 0.9);
  EXPECT_FALSE(checks[3].ran);
  EXPECT_THAT(checks[3].error, HasSubstr("no program `no-such-program`"));
  EXPECT_THAT(output(), HasSubstr("check bad: failed with status 3"));
}

TEST_F(GpuProbe, ACheckMayPrintAnythingWithoutEnd) {
  start({{"ROLLCALL_CHECKS", R"([
           {"name": "flood", "command": ["sh", "-c", "yes & exec yes"], "deadlineSeconds": 1},
           {"name": "binary", "command": ["sh", "-c", "head -c 1000000 /dev/zero"], "compare": true},
           {"name": "long", "command": ["sh", "-c", "head -c 1000000 /dev/zero | tr '\\000' x"], "compare": true},
           {"name": "last", "command": ["sh", "-c", "echo first of many lines; echo >&2 why; exit 1"]}])"}});
  tell(Step::Checks);
  const auto answer = answer_when([](const Answer& a) { return a.checks && a.checks->done; });
  ASSERT_TRUE(answer) << output();
  const auto& checks = answer->checks->checks;
  ASSERT_EQ(checks.size(), 4U);
  EXPECT_TRUE(checks[0].timed_out);
  EXPECT_THAT(checks[1].output, HasSubstr("(1000000 bytes, sha256 d29751f2649b)"));
  EXPECT_THAT(checks[2].output, HasSubstr("xxx … (1000000 bytes, sha256 "));
  EXPECT_THAT(output(), HasSubstr("check last: the end of its output:")) << "the desk is told one line of each";
  EXPECT_THAT(output(), HasSubstr("first of many lines"));
}

TEST_F(GpuProbe, ACrashedChildIsToldApartFromOneThatWasNotStarted) {
  start({{"BEHAVE", "crash"}});
  tell(Step::Gpu);
  const auto gpu = answer_when([](const Answer& a) { return a.gpu.has_value(); });
  ASSERT_TRUE(gpu) << output();
  EXPECT_TRUE(gpu->gpu->cut_short);
  EXPECT_FALSE(gpu->gpu->not_started);
  EXPECT_EQ(gpu->gpu->error, "the program that asks CUDA and NVML was ended by SIGSEGV (invalid memory) in cuInit");
  tell(Step::Nccl);
  const auto nccl = answer_when([](const Answer& a) { return a.nccl.has_value(); });
  ASSERT_TRUE(nccl) << output();
  EXPECT_TRUE(nccl->nccl->cut_short);
  EXPECT_EQ(nccl->nccl->error, "the program that asks NCCL ended in ncclGetUniqueId");
}

TEST_F(GpuProbe, AFinishedMeshIsNotSaidAgainToTheDeskThatHasIt) {
  desk_.stop_at(Step::SeeAddress);
  start();
  ASSERT_TRUE(answer_when([](const Answer& a) { return a.mesh && a.mesh->done; })) << output();
  Instruction known;
  known.step = Step::SeeAddress;
  known.desk_instance = "desk-1";
  known.mesh_known = true;
  desk_.tell(known);
  EXPECT_TRUE(answer_when([](const Answer& a) { return !a.mesh; })) << output();
  known.desk_instance = "desk-2";
  known.mesh_known = false;
  desk_.tell(known);
  EXPECT_TRUE(answer_when([](const Answer& a) { return a.mesh && a.mesh->done; }))
      << "another desk has to hear it: " << output();
}

}  // namespace
}  // namespace rollcall::probe::testing
