#include "diagnosis/cause.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace rollcall::diagnosis {
namespace {

std::string id_of(const Cause* cause) { return cause == nullptr ? "none" : std::string(cause->id); }

struct Line {
  const char* text;
  const char* id;
};

class KnownText : public ::testing::TestWithParam<Line> {};

TEST_P(KnownText, HasItsCause) { EXPECT_EQ(id_of(cause_of_text(GetParam().text)), GetParam().id) << GetParam().text; }

// Lines as NCCL and the kernel write them, of several releases.
INSTANTIATE_TEST_SUITE_P(
    Lines, KnownText,
    ::testing::Values(
        Line{"Bootstrap : no socket interface found", "nccl/no-interface"},
        Line{"Bootstrap: No usable listening interface found", "nccl/comm-id"},
        Line{"misc/socket.cc:389 NCCL WARN Call to bind failed: Cannot assign requested address",
             "nccl/address-not-bindable"},
        Line{"NET/IB : No device found.", "rdma/no-device"}, Line{"Error: network IB not found.", "nccl/no-network"},
        Line{"Failed to initialize any NET plugin", "nccl/no-network"},
        Line{"Message truncated : received 1024 bytes instead of 256", "nccl/versions-differ"},
        Line{"Mismatched NCCL version detected : rank 1 version 22705 rank 0 version 22703", "nccl/versions-differ"},
        Line{"Bootstrap Root : mismatch in info from procs : nranks 8 vs 16", "nccl/world-size-differs"},
        Line{"Bootstrap Root : rank 3 of 8 ranks has already checked in", "nccl/duplicate-rank"},
        Line{"Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 1000", "nccl/duplicate-gpu"},
        Line{"Multiple ranks are using the same GPU", "nccl/duplicate-gpu"},
        Line{"NET/IB : Got completion from peer 10.2.0.5<33092> with error 12, opcode 0, len 0, vendor err 129 (Recv)",
             "rdma/retries-exceeded"},
        Line{"NET/IB: Got completion from peer 10.0.0.4<1> with status=12 opcode=129 len=524288 vendor err 129 (Recv)",
             "rdma/retries-exceeded"},
        Line{"NET/IB: Got completion from peer 10.1.2.3<4> with status=IBV_WC_RETRY_EXC_ERR(12) "
             "opcode=IBV_WC_RECV(128) vendor_err=129",
             "rdma/retries-exceeded"},
        Line{"NET/IB: Got completion from peer 10.1.2.3<4> with status=4 opcode=0 len=0 vendor err 81 (Send)",
             "rdma/memory-access"},
        Line{"NET/IB: Got completion from peer 10.1.2.3<4> with status=IBV_WC_REM_ACCESS_ERR(10)",
             "rdma/memory-access"},
        Line{"socketStartConnect: Connect to 10.0.0.2<41021> failed : Connection refused", "network/refused"},
        Line{"socketStartConnect: Connect to 10.0.0.2<41021> failed : No route to host", "network/no-route"},
        Line{"connect to 10.0.0.2 failed: Connection timed out", "network/dropped"},
        Line{"Net : Connection closed by remote peer 10.0.0.2<55>", "network/peer-died"},
        Line{"Cuda failure 35 'CUDA driver version is insufficient for CUDA runtime version'", "cuda/no-usable-driver"},
        Line{"Failed to CUDA host alloc 4923392 bytes", "cuda/host-memory"},
        Line{"Error while creating shared memory segment /dev/shm/nccl-abcdef (size 9637888)", "nccl/shared-memory"}));

TEST(CauseOfText, KnowsNothingOfOtherErrorNumbers) {
  EXPECT_EQ(cause_of_text("NET/IB : Got completion from peer 10.2.0.5<1> with error 5, opcode 0"), nullptr);
  EXPECT_EQ(cause_of_text("NET/IB : Got completion from peer 10.2.0.5<1> with error 122, opcode 0"), nullptr);
}

TEST(CauseOfText, KnowsNothingOfPlainWords) {
  for (const char* text : {"", "all is well", "unhandled system error (run with NCCL_DEBUG=INFO for details)"})
    EXPECT_EQ(cause_of_text(text), nullptr) << text;
}

struct Code {
  int result;
  const char* id;
  const char* owner;
};

TEST(CauseOfCuda, NamesWhoMustAct) {
  for (const Code& each : {Code{34, "cuda/stub-library", "job"}, Code{100, "cuda/no-device", "job"},
                           Code{304, "cuda/device-unusable", "node"}, Code{46, "cuda/device-unusable", "node"},
                           Code{802, "cuda/fabric-not-ready", "node"}, Code{803, "cuda/driver-mismatch", "node"},
                           Code{804, "cuda/forward-compatibility", "job"}, Code{807, "cuda/mps", "node"},
                           Code{999, "cuda/device-unusable", "node"}}) {
    const Cause* cause = cause_of_cuda(each.result);
    EXPECT_EQ(id_of(cause), each.id) << each.result;
    ASSERT_NE(cause, nullptr);
    EXPECT_EQ(cause->owner, each.owner) << each.result;
  }
  EXPECT_EQ(cause_of_cuda(0), nullptr);
  EXPECT_EQ(cause_of_cuda(123456), nullptr);
}

TEST(CauseOfNvml, TellsAnUpgradedDriverFromLostDevices) {
  EXPECT_EQ(id_of(cause_of_nvml(18)), "nvml/driver-mismatch");
  EXPECT_EQ(id_of(cause_of_nvml(17)), "nvml/blocked");
  EXPECT_EQ(id_of(cause_of_nvml(15)), "nvml/gpu-lost");
  EXPECT_EQ(cause_of_nvml(0), nullptr);
  EXPECT_EQ(cause_of_nvml(3), nullptr) << "not supported is no fault";
}

TEST(Causes, AreWholeClausesWithAnOwner) {
  const std::set<std::string_view> owners{"job", "node", "cluster", "network"};
  const auto whole = [&](const Cause* cause) {
    if (cause == nullptr) return;
    EXPECT_NE(cause->id.find('/'), std::string_view::npos) << cause->id;
    EXPECT_FALSE(cause->meaning.empty() || cause->advice.empty()) << cause->id;
    EXPECT_NE(cause->meaning.back(), '.') << cause->id << ": a clause, others go on after it";
    EXPECT_NE(cause->advice.back(), '.') << cause->id << ": the caller writes the full stop";
    EXPECT_EQ(owners.count(cause->owner), 1u) << cause->id << " " << cause->owner;
  };
  for (int i = 0; i < 1000; ++i) {
    whole(cause_of_cuda(i));
    whole(cause_of_nvml(i));
  }
}

}  // namespace
}  // namespace rollcall::diagnosis
