#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "child/support/child.h"
#include "child/support/group.h"
#include "doubles/stuck/stuck_mount.h"

// The child's `collective` as the probe starts it: several processes, the doubles' libraries, real connections.
namespace rollcall::child {
namespace {

using namespace testing;  // NOLINT: of rollcall::child
using roll_call::RankOutcome;
using roll_call::RankResult;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

void expect_all_well(const std::vector<Ending>& endings, std::size_t ranks) {
  ASSERT_EQ(endings.size(), ranks);
  for (const auto& ending : endings) {
    ASSERT_EQ(ending.outcome(), RankOutcome::Ok) << ending.output;
    EXPECT_EQ(ending.status, 0);
    EXPECT_TRUE(ending.simulated);
    EXPECT_EQ(ending.rank->error, "");
  }
}

TEST(Collective, TwoRanksOfOneNode) {
  const auto endings = run(one_node(2), "");
  expect_all_well(endings, 2);
  const auto& rank = *endings[1].rank;
  EXPECT_EQ(rank.rank, 1);
  EXPECT_EQ(rank.gpu, 1);
  EXPECT_EQ(rank.transport, "nvlink");
  EXPECT_NEAR(rank.bus_gbytes, 430, 1);
  EXPECT_NEAR(rank.small_us, 22, 1);
  EXPECT_GT(rank.init_ms, 0);
  EXPECT_THAT(rank.uuid, StartsWith("GPU-"));
  EXPECT_NE(rank.uuid, endings[0].rank->uuid);
}

TEST(Collective, FourRanksOfTwoNodes) {
  const auto endings = run(two_nodes(2), "");
  expect_all_well(endings, 4);
  for (const auto& ending : endings) {
    EXPECT_EQ(ending.rank->network, "IB");
    EXPECT_NEAR(ending.rank->bus_gbytes, 340, 1);
    EXPECT_THAT(ending.rank->devices, Contains("mlx5_7:1"));
    // Each has one neighbour on the other node.
    EXPECT_EQ(ending.rank->transport, "rdma");
    EXPECT_TRUE(ending.rank->gdr);
  }
}

TEST(Collective, OneRankAloneMeasuresNoBandwidth) {
  const auto endings = run(one_node(1), "");
  expect_all_well(endings, 1);
  EXPECT_EQ(endings[0].rank->bus_gbytes, 0);
}

TEST(Collective, RanksWithLessMemoryAgreeOnASize) {
  const auto endings =
      run(one_node(3), "largest_allocation_mib = 4\n[gpu 1]\nlargest_allocation_mib = 1\n", {.large = 256 << 20});
  expect_all_well(endings, 3);
  EXPECT_THAT(endings, Each(::testing::Truly([](const Ending& each) { return each.rank->bus_gbytes > 0; })));
}

TEST(Collective, EveryReleaseIsTakenByItsOwnRules) {
  for (const char* version : {"21304", "21403", "21805", "22105", "22203", "22705", "23203"})
    expect_all_well(run(one_node(2), std::string("nccl_version = ") + version), 2);
}

struct Healthy {
  const char* name;
  const char* scenario;
  std::map<std::string, std::string> env;
  const char* network;
  const char* provider;
  const char* transport;
};

class CollectiveOverAFabric : public ::testing::TestWithParam<Healthy> {};

TEST_P(CollectiveOverAFabric, TellsWhatItWentOver) {
  auto members = two_nodes(1);
  for (auto& member : members) member.env = GetParam().env;
  const auto endings = run(members, GetParam().scenario);
  expect_all_well(endings, 2);
  for (const auto& ending : endings) {
    EXPECT_EQ(ending.rank->network, GetParam().network);
    EXPECT_EQ(ending.rank->provider, GetParam().provider);
    EXPECT_EQ(ending.rank->transport, GetParam().transport);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Fabrics, CollectiveOverAFabric,
    ::testing::Values(Healthy{"Efa", "net = Libfabric\nprovider = efa", {}, "Libfabric", "efa", "rdma"},
                      Healthy{
                          "EfaOld", "net = AWS Libfabric\nnccl_version = 21805", {}, "AWS Libfabric", "efa", "rdma"},
                      Healthy{"EfaFellToTcp", "net = Libfabric\nprovider = tcp", {}, "Libfabric", "tcp", "tcp"},
                      Healthy{"Tcpxo", "net = FasTrak\nplugin = FasTrak", {}, "FasTrak", "", "rdma"},
                      Healthy{"Gib", "net = gIB\nplugin = gIB", {}, "gIB", "", "rdma"},
                      Healthy{"HpcX", "net = IBext_v8\nplugin = IBext_v8", {}, "IBext_v8", "", "rdma"},
                      Healthy{"Tcp", "net = Socket", {}, "Socket", "", "tcp"},
                      Healthy{"RdmaSwitchedOff", "", {{"NCCL_IB_DISABLE", "1"}}, "Socket", "", "tcp"},
                      Healthy{"NVLinkBetweenNodes", "mnnvl = yes", {}, "IB", "", "nvlink"},
                      Healthy{"UnknownPlugin", "net = MyFabric", {}, "MyFabric", "", "other"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(Collective, WithoutP2pTheNodesMemoryIsUsed) {
  auto members = one_node(2);
  for (auto& member : members) member.env["NCCL_P2P_DISABLE"] = "1";
  const auto endings = run(members, "");
  expect_all_well(endings, 2);
  EXPECT_EQ(endings[0].rank->transport, "shm");
}

TEST(Collective, TheUsersOwnLogAndBlockingAreLeftAlone) {
  const probe::testing::TemporaryDirectory directory;
  const auto log = directory.path() + "/nccl.log";
  auto members = one_node(2);
  for (auto& member : members)
    member.env = {{"NCCL_DEBUG", "WARN"}, {"NCCL_DEBUG_FILE", log}, {"NCCL_COMM_BLOCKING", "1"}};
  const auto endings = run(members, "");
  expect_all_well(endings, 2);
  EXPECT_EQ(endings[0].rank->network, "IB");
  EXPECT_FALSE(std::filesystem::exists(log));
}

// Faults that end by themselves. What rank 1 of two nodes says; rank 0 has no fault of its own.
struct Broken {
  const char* name;
  const char* scenario;
  RankOutcome outcome;
  int result;
  const char* step;
  const char* error;
};

class CollectiveWithAFault : public ::testing::TestWithParam<Broken> {};

TEST_P(CollectiveWithAFault, SaysWhere) {
  const auto endings = run_until_end_of(1, two_nodes(1), GetParam().scenario);
  ASSERT_EQ(endings.size(), 2U);
  const auto& ending = endings[1];
  ASSERT_TRUE(ending.rank) << ending.output;
  EXPECT_EQ(ending.rank->outcome, GetParam().outcome) << ending.output;
  EXPECT_EQ(ending.rank->result, GetParam().result);
  EXPECT_EQ(ending.rank->step, GetParam().step);
  EXPECT_THAT(ending.rank->error, HasSubstr(GetParam().error));
  EXPECT_EQ(ending.status, 1);
}

constexpr auto kRetryExceeded =
    "error_in = ncclAllReduce\nerror = 6\n"
    "error_text = NET/IB: Got completion from peer 10.0.0.2<4242> with status=12 opcode=0 len=0 vendor err 129 (Send) "
    "hca mlx5_0\n";

INSTANTIATE_TEST_SUITE_P(
    Faults, CollectiveWithAFault,
    ::testing::Values(
        Broken{"FabricManagerDown", "[node gpu-b]\ncuda_init = 802", RankOutcome::Error, 802, "cuInit",
               "CUDA_ERROR_SYSTEM_NOT_READY"},
        Broken{"DriverMismatch", "[node gpu-b]\ncuda_init = 803", RankOutcome::Error, 803, "cuInit",
               "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
        Broken{"StubLibrary", "[node gpu-b]\ncuda_init = 34", RankOutcome::Error, 34, "cuInit",
               "CUDA_ERROR_STUB_LIBRARY"},
        Broken{"NoGpu", "[node gpu-b]\ngpus = 0", RankOutcome::Error, 100, "cuInit", "CUDA_ERROR_NO_DEVICE"},
        Broken{"GpuBusy", "[node gpu-b]\ncuda_error_in = cuDevicePrimaryCtxRetain\ncuda_error = 46", RankOutcome::Error,
               46, "cuDevicePrimaryCtxRetain", "CUDA_ERROR_DEVICE_UNAVAILABLE"},
        Broken{"NoMemory", "[node gpu-b]\ncuda_error_in = cuMemAlloc\ncuda_error = 2", RankOutcome::Error, 2,
               "cuMemAlloc", "CUDA_ERROR_OUT_OF_MEMORY"},
        Broken{"ErrorInInit",
               "[node gpu-b]\nerror_in = ncclCommInitRank\nerror = 2\nerror_text = Call to bind failed: Cannot assign "
               "requested address",
               RankOutcome::Error, 2, "ncclCommInitRank",
               "ncclSystemError: Call to bind failed: Cannot assign requested address"},
        Broken{"RdmaPathBroken", kRetryExceeded, RankOutcome::Error, 6, "ncclAllReduce small", "with status=12"},
        Broken{"WrongSum", "[node gpu-b]\nwrong_sum = yes", RankOutcome::WrongValue, 0, "ncclAllReduce small",
               "value 512 of 1024 is 65539, must be 3 (1 value is wrong)"},
        Broken{"WrongSumOfTheOtherRank", "[node gpu-a]\nwrong_sum = yes", RankOutcome::WrongValue, 0,
               "ncclAllReduce small", "value 512 of 1024 is"},
        Broken{"OtherRankDied", "[node gpu-a]\ndie = ncclAllReduce", RankOutcome::Error, 6, "ncclAllReduce small",
               "Connection closed by remote peer"},
        Broken{"VersionsDifferALittle", "nccl_version = 22705\n[node gpu-b]\nnccl_version = 22903", RankOutcome::Error,
               5, "ncclCommInitRank", "Mismatched NCCL version detected : rank 0 version 22705 rank 1 version 22903"}),
    [](const auto& one) { return std::string(one.param.name); });

// Faults in which ranks wait for ever: the last step stands, and what the library had warned of.
TEST(Collective, HangInInitLeavesTheStepOfEachRank) {
  const auto endings =
      run_until_said({"ncclCommInitRank", "ncclCommInitRank"}, two_nodes(1), "[node gpu-b]\nhang = ncclCommInitRank");
  for (const auto& ending : endings) {
    EXPECT_EQ(ending.status, std::nullopt);
    EXPECT_EQ(ending.step, "ncclCommInitRank");
  }
}

TEST(Collective, HangInAllReduceLeavesTheStepOfEachRank) {
  const auto endings = run_until_said({"ncclAllReduce small", "ncclAllReduce small", "ncclAllReduce small"},
                                      one_node(3), "[gpu 2]\nhang = ncclAllReduce");
  for (const auto& ending : endings) {
    EXPECT_EQ(ending.status, std::nullopt);
    EXPECT_EQ(ending.step, "ncclAllReduce small");
  }
}

TEST(Collective, HangInCuInitIsSeen) {
  const auto endings = run_until_said({"ncclCommInitRank", "cuInit"}, two_nodes(1), "[node gpu-b]\nhang = cuInit");
  EXPECT_EQ(endings[1].step, "cuInit");
  EXPECT_EQ(endings[0].step, "ncclCommInitRank");
}

TEST(Collective, OldVersionsThatDifferHangWithAWarning) {
  const auto endings = run_until_said({"Message truncated", "ncclCommInitRank"}, two_nodes(1),
                                      "nccl_version = 22105\n[node gpu-b]\nnccl_version = 22705");
  EXPECT_EQ(endings[1].step, "ncclCommInitRank");
  // The root is rank 0's; it said so before it was killed.
  ASSERT_TRUE(endings[0].rank) << endings[0].output;
  EXPECT_EQ(endings[0].rank->outcome, RankOutcome::TimedOut);
  EXPECT_EQ(endings[0].rank->step, "ncclCommInitRank");
  EXPECT_THAT(endings[0].rank->error, StartsWith("Message truncated : received 172 bytes instead of 64"));
}

TEST(Collective, AKilledPeerIsSeenByTheOthers) {
  // It stands still after the first sum, when everybody is connected.
  Group group(one_node(3), "[gpu 1]\nhang = cuMemcpyDtoH");
  for (const std::size_t rank : {0U, 2U}) ASSERT_TRUE(group.process(rank).prints("second pattern", 20s));
  group.process(1).signal(SIGKILL);
  const auto endings = group.endings(20s);
  EXPECT_EQ(endings[1].status, 128 + SIGKILL);
  EXPECT_EQ(endings[1].step, "ncclAllReduce small");
  for (const std::size_t rank : {0U, 2U}) {
    ASSERT_EQ(endings[rank].outcome(), RankOutcome::Error) << endings[rank].output;
    EXPECT_EQ(endings[rank].rank->result, 6);
  }
}

TEST(Collective, ARefusedConnectionNamesTheAddress) {
  // Rank 0's root is gone when rank 1 comes.
  Group group(one_node(1), "");
  const auto id = [&] {
    const auto ended = group.endings(20s);
    const auto at = ended[0].output.find("\"uniqueId\":\"");
    return ended[0].output.substr(at + 12, 256);
  }();
  const probe::testing::TemporaryDirectory directory;
  probe::testing::Process late(
      {child_program(), "collective", "--library", "libnccl.so.2", "--rank", "1", "--nranks", "2", "--gpu", "1",
       "--small", "1024", "--large", "0", "--unique-id", id},
      {{"LD_LIBRARY_PATH", ROLLCALL_DOUBLES_DIR}, {"ROLLCALL_SCENARIO", directory.write("s", "retry_seconds = 0.3")}});
  EXPECT_EQ(late.wait(20s), 1);
  EXPECT_THAT(late.output(), HasSubstr("returned Connection refused, exceeded error retry count"));
}

TEST(Collective, AnAbortThatHangsKeepsNeitherResultNorProcess) {
  const auto endings = run(two_nodes(1), "[node gpu-b]\nerror_in = ncclAllReduce\nerror = 2\nhang = ncclCommAbort");
  EXPECT_EQ(endings[1].outcome(), RankOutcome::Error);
  EXPECT_EQ(endings[1].status, 1);
  EXPECT_EQ(endings[1].step, "ncclCommAbort");
}

TEST(Collective, ADestroyThatHangsDoesNotSpoilAGoodResult) {
  const auto endings = run(one_node(2), "[gpu 1]\nhang = ncclCommDestroy");
  expect_all_well(endings, 2);
}

TEST(Collective, ADeathLeavesTheStep) {
  const auto endings = run_until_end_of(1, one_node(2), "[gpu 1]\ndie = ncclCommInitRank");
  EXPECT_EQ(endings[1].status, 128 + SIGSEGV);
  EXPECT_EQ(endings[1].step, "ncclCommInitRank");
}

TEST(Collective, ACallThatTheKernelDoesNotInterruptOutlivesSigkill) {
  const probe::testing::TemporaryDirectory directory;
  auto mount = std::make_unique<doubles::StuckMount>(directory.path());
  if (!mount->ok()) GTEST_SKIP() << mount->why_not();
  Group group(one_node(1), "stuck = ncclCommInitRank\nstuck_file = " + mount->file());
  // Before the group, which waits for its processes: they go on when the mount is gone.
  const struct Release {
    std::unique_ptr<doubles::StuckMount>& held;
    ~Release() { held.reset(); }
  } release{mount};
  ASSERT_TRUE(group.process(0).prints("ncclCommInitRank", 20s));
  ASSERT_TRUE(probe::testing::eventually([&] { return mount->asked(); }));
  group.process(0).signal(SIGKILL);
  EXPECT_EQ(group.process(0).wait(300ms), std::nullopt);
  std::string states;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(group.process(0).pid()) + "/task")) {
    std::ifstream stat(task.path() / "stat");
    const std::string text(std::istreambuf_iterator<char>(stat), {});
    const auto name_end = text.rfind(')');
    if (name_end != std::string::npos && name_end + 2 < text.size()) states += text[name_end + 2];
  }
  EXPECT_THAT(states, HasSubstr("D"));
}

TEST(Collective, TwoRanksOnOneGpuAreRefused) {
  auto members = one_node(2);
  members[1].gpu = 0;
  const auto endings = run(members, "");
  for (const auto& ending : endings) {
    ASSERT_EQ(ending.outcome(), RankOutcome::Error) << ending.output;
    EXPECT_EQ(ending.rank->result, 5);
    EXPECT_THAT(ending.rank->error, HasSubstr("Duplicate GPU detected"));
  }
}

TEST(Collective, SlowGpuSlowsEverybody) {
  const auto endings = run(one_node(4), "[gpu 2]\nbus_gbytes = 90");
  expect_all_well(endings, 4);
  for (const auto& ending : endings) EXPECT_NEAR(ending.rank->bus_gbytes, 90, 1);
}

TEST(Collective, SlowLinkIsSlowBetweenItsNodesAlone) {
  const std::string scenario = "[link gpu-b gpu-c]\nbus_gbytes = 20";
  auto pair = two_nodes(1);
  EXPECT_NEAR(run(pair, scenario)[0].rank->bus_gbytes, 340, 1);
  pair[0].node = "gpu-c";
  EXPECT_NEAR(run(pair, scenario)[0].rank->bus_gbytes, 20, 1);
}

TEST(Collective, RdmaAloneIsBrokenWhenItGoesWellWithout) {
  const auto scenario = std::string("retry_seconds = 0.5\n[unless NCCL_IB_DISABLE]\n") + kRetryExceeded;
  auto pair = two_nodes(1);
  EXPECT_EQ(run(pair, scenario)[0].outcome(), RankOutcome::Error);
  for (auto& member : pair) member.env["NCCL_IB_DISABLE"] = "1";
  expect_all_well(run(pair, scenario), 2);
}

TEST(Collective, P2pAloneIsBrokenWhenItGoesWellWithout) {
  const std::string scenario = "[gpu 1 unless NCCL_P2P_DISABLE]\nwrong_sum = yes";
  auto pair = one_node(2);
  EXPECT_EQ(run(pair, scenario)[0].outcome(), RankOutcome::WrongValue);
  for (auto& member : pair) member.env["NCCL_P2P_DISABLE"] = "1";
  expect_all_well(run(pair, scenario), 2);
}

TEST(Collective, AnAssertedNetworkThatIsAbsentIsAnError) {
  for (const auto& [version, words] :
       {std::pair{"22105", "network IB not found"}, {"22705", "Failed to initialize any NET plugin"}}) {
    auto members = one_node(1);
    members[0].env["NCCL_NET"] = "IB";
    const auto endings = run(members, std::string("net = Socket\nnccl_version = ") + version);
    ASSERT_EQ(endings[0].outcome(), RankOutcome::Error);
    EXPECT_EQ(endings[0].rank->result, 5);
    EXPECT_THAT(endings[0].rank->error, HasSubstr(words));
  }
}

TEST(Collective, ALibraryThatIsNotThereIsNotStarted) {
  const probe::testing::TemporaryDirectory directory;
  probe::testing::Process child(
      {child_program(), "collective", "--library", directory.path() + "/libnccl.so.2", "--rank", "0", "--nranks", "1",
       "--gpu", "0", "--small", "1024", "--large", "0", "--make-id"},
      {{"LD_LIBRARY_PATH", ROLLCALL_DOUBLES_DIR}});
  EXPECT_EQ(child.wait(20s), 1);
  EXPECT_THAT(child.output(), HasSubstr("\"NotStarted\""));
  EXPECT_THAT(child.output(), HasSubstr("libnccl.so.2"));
}

TEST(Collective, LeavesNothingInSharedMemory) {
  Group group(two_nodes(2), "");
  expect_all_well(group.endings(30s), 4);
  EXPECT_THAT(group.left_in_shared_memory(), ::testing::IsEmpty());
}

TEST(Collective, KilledWhileJoiningItLeavesAFileThatTheProbeMustSweep) {
  Group group(one_node(1), "hang = ncclCommInitRank");
  ASSERT_TRUE(group.process(0).prints("ncclCommInitRank", 20s));
  ASSERT_TRUE(probe::testing::eventually([&] { return group.left_in_shared_memory().size() == 1; }));
  group.endings(0ms);
  EXPECT_EQ(group.left_in_shared_memory().size(), 1U);
}

struct Wrong {
  const char* name;
  std::vector<std::string> arguments;
  const char* words;
};

class CollectiveCalledWrongly : public ::testing::TestWithParam<Wrong> {};

TEST_P(CollectiveCalledWrongly, SaysHow) {
  std::vector<std::string> arguments = {child_program(), "collective"};
  arguments.insert(arguments.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  probe::testing::Process child(arguments, {});
  EXPECT_EQ(child.wait(20s), 2);
  EXPECT_THAT(child.output(), HasSubstr(GetParam().words));
}

INSTANTIATE_TEST_SUITE_P(Usage, CollectiveCalledWrongly,
                         ::testing::Values(Wrong{"Nothing", {}, "--library is missing"},
                                           Wrong{"NoValue", {"--rank"}, "--rank needs a value"},
                                           Wrong{"NoNumber", {"--rank", "x"}, "--rank must be a number"},
                                           Wrong{"Unknown", {"--frobnicate", "1"}, "unknown argument --frobnicate"},
                                           Wrong{"RankTooHigh",
                                                 {"--library", "l", "--rank", "2", "--nranks", "2", "--small", "4",
                                                  "--make-id"},
                                                 "--rank must be below --nranks"},
                                           Wrong{"BothIds",
                                                 {"--library", "l", "--rank", "0", "--nranks", "2", "--small", "4",
                                                  "--make-id", "--unique-id", std::string(256, '0')},
                                                 "either --make-id or --unique-id"},
                                           Wrong{"ShortId", {"--unique-id", "00"}, "must be 256 hex digits"},
                                           Wrong{"NoHex", {"--unique-id", std::string(256, 'g')}, "no hex digit"}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace rollcall::child
