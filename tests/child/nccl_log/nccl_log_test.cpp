#include "child/nccl_log/nccl_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "child/nccl_log/networks.h"

namespace rollcall::child {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

NcclLog log_of(std::string_view text) {
  NcclLog log;
  log.read(text);
  return log;
}

// The wording is that of NCCL's releases and of public logs of their plugins; hosts, addresses and numbers are made up.
constexpr std::string_view kInfiniBand218 = R"(gpu-17:911:911 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.17<0>
gpu-17:911:911 [0] NCCL INFO NET/Plugin : Plugin load (libnccl-net.so) returned 2 : libnccl-net.so: cannot open shared object file: No such file or directory
gpu-17:911:911 [0] NCCL INFO NET/Plugin : No plugin found, using internal implementation
gpu-17:911:911 [0] NCCL INFO cudaDriverVersion 12020
NCCL version 2.18.5+cuda12.0
gpu-17:911:931 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.17<0>
gpu-17:911:931 [0] NCCL INFO Using network IB
gpu-17:911:931 [0] NCCL INFO Channel 00/0 : 0[1b000] -> 1[43000] via P2P/IPC
gpu-17:911:931 [0] NCCL INFO Channel 00/0 : 7[df000] -> 8[1b000] [send] via NET/IB/0/GDRDMA
gpu-17:911:931 [0] NCCL INFO Connected all rings
)";

TEST(NcclLog, InfiniBandBetweenNodes) {
  const auto log = log_of(kInfiniBand218);
  EXPECT_EQ(log.network(), "IB");
  EXPECT_EQ(log.transport(), "rdma");
  EXPECT_TRUE(log.gdr());
  EXPECT_THAT(log.devices(), ElementsAre("mlx5_0:1", "mlx5_1:1"));
  EXPECT_EQ(log.error(), "");
}

TEST(NcclLog, ReadsLinesThatComeInPieces) {
  NcclLog log;
  for (const char c : kInfiniBand218) log.read(std::string_view(&c, 1));
  EXPECT_EQ(log.network(), "IB");
  EXPECT_EQ(log.transport(), "rdma");
}

TEST(NcclLog, FallBackToTcp) {
  const auto log = log_of(R"(h:1:7 [0] NCCL INFO NET/IB : No device found.
h:1:7 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.2<0> [1]net1:fd00::2%net1<0>
h:1:7 [0] NCCL INFO Initialized NET plugin Socket
h:1:7 [0] NCCL INFO Assigned NET plugin Socket to comm
h:1:7 [0] NCCL INFO Using network Socket
h:1:9 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/Socket/0
h:1:9 [0] NCCL INFO Channel 01/0 : 1[0] -> 0[0] [receive] via NET/Socket/1
)");
  EXPECT_EQ(log.network(), "Socket");
  EXPECT_EQ(log.transport(), "tcp");
  EXPECT_FALSE(log.gdr());
  EXPECT_THAT(log.devices(), ElementsAre("eth0", "net1"));
}

struct Case {
  const char* name;
  const char* lines;
  const char* network;
  const char* provider;
  const char* transport;
};

class NcclLogOfAFabric : public testing::TestWithParam<Case> {};

TEST_P(NcclLogOfAFabric, IsClassified) {
  const auto log = log_of(GetParam().lines);
  EXPECT_EQ(log.network(), GetParam().network);
  EXPECT_EQ(log.provider(), GetParam().provider);
  EXPECT_EQ(log.transport(), GetParam().transport);
}

INSTANTIATE_TEST_SUITE_P(
    Fabrics, NcclLogOfAFabric,
    testing::Values(
        Case{"EfaOld",
             "w:21:21 [0] NCCL INFO NET/OFI Selected Provider is efa (found 4 nics)\n"
             "w:21:21 [0] NCCL INFO Using network AWS Libfabric\n"
             "w:21:30 [0] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [send] via NET/AWS Libfabric/0/GDRDMA\n",
             "AWS Libfabric", "efa", "rdma"},
        Case{"EfaNew",
             "w:21:21 [0] NCCL INFO NET/OFI Selected provider is efa, fabric is efa-direct (found 32 nics)\n"
             "w:21:21 [0] NCCL INFO Using network Libfabric\n"
             "w:21:30 [0] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [send] via NET/Libfabric/0/GDRDMA\n",
             "Libfabric", "efa", "rdma"},
        Case{"EfaFellToTcp",
             "w:21:21 [0] NCCL INFO NET/OFI Selected Provider is tcp (found 1 nics)\n"
             "w:21:21 [0] NCCL INFO Using network Libfabric\n"
             "w:21:30 [0] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [send] via NET/Libfabric/0\n",
             "Libfabric", "tcp", "tcp"},
        Case{"LibfabricThatDoesNotSay",
             "w:21:21 [0] NCCL INFO Using network Libfabric\n"
             "w:21:30 [0] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [send] via NET/Libfabric/0\n",
             "Libfabric", "", "other"},
        Case{"Slingshot",
             "w:21:21 [0] NCCL INFO NET/OFI Using aws-ofi-rccl 1.4.0\n"
             "w:21:21 [0] NCCL INFO NET/OFI Selected Provider is cxi\n"
             "w:21:21 [0] NCCL INFO Using network AWS Libfabric\n"
             "w:21:30 [0] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [send] via NET/AWS Libfabric/1\n",
             "AWS Libfabric", "cxi", "rdma"},
        Case{"TcpxoOfA3Mega",
             "v:60:64 [6] NCCL INFO Initializing network FasTrak, version: 1.0.17\n"
             "v:60:64 [6] NCCL INFO Using network FasTrak\n"
             "v:60:70 [6] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [send] via NET/FasTrak/5(4)\n",
             "FasTrak", "", "rdma"},
        Case{"TcpxOfA3High",
             "v:60:64 [6] NCCL INFO Using network GPUDirectTCPX_v7\n"
             "v:60:70 [6] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [send] via NET/GPUDirectTCPX_v7/0\n",
             "GPUDirectTCPX_v7", "", "rdma"},
        Case{"GibOfA3Ultra",
             "a3:606:642 [6] NCCL INFO NET/gIB : Initializing gIB v1.0.5\n"
             "a3:606:642 [6] NCCL INFO Using network gIB\n"
             "a3:606:700 [6] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [send] via NET/gIB/6/GDRDMA\n",
             "gIB", "", "rdma"},
        Case{"HpcXPlugin",
             "q:494:499 [1] NCCL INFO Plugin Path : /opt/hpcx/nccl_rdma_sharp_plugin/lib/libnccl-net.so\n"
             "q:494:499 [1] NCCL INFO P2P plugin IBext_v8\n"
             "q:494:499 [1] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB/SHARP [1]mlx5_1:1/IB/SHARP [RO]; OOB "
             "ibp25s0:10.20.0.119<0>\n"
             "q:494:499 [1] NCCL INFO Using network IBext_v8\n"
             "q:494:510 [1] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [send] via NET/IBext_v8/1/GDRDMA/Shared\n",
             "IBext_v8", "", "rdma"},
        Case{"NVLinkBetweenNodes",
             "n:1:1 [0] NCCL INFO Using network IB\n"
             "n:1:1 [0] NCCL INFO comm 0x5 rank 3 nRanks 8 nNodes 2 localRanks 4 localRank 3 MNNVL 1\n"
             "n:1:9 [0] NCCL INFO Channel 00/0 : 3[3] -> 4[0] via P2P/MNNVL\n",
             "IB", "", "nvlink"},
        Case{"TwoRacks",
             "n:1:1 [0] NCCL INFO Using network IB\n"
             "n:1:9 [0] NCCL INFO Channel 00/0 : 3[3] -> 4[0] via P2P/MNNVL\n"
             "n:1:9 [0] NCCL INFO Channel 01/0 : 71[3] -> 72[0] [send] via NET/IB/0/GDRDMA\n",
             "IB", "", "rdma"},
        Case{"InNodeOverNVLink",
             "n:1:1 [0] NCCL INFO Using network Socket\n"
             "n:1:1 [0] NCCL INFO Pattern 4, crossNic 0, nChannels 12, bw 30.000000/30.000000, type NVL/PIX, "
             "sameChannels 1\n"
             "n:1:1 [0] NCCL INFO Pattern 3, crossNic 0, nChannels 0, bw 0.000000/0.000000, type SYS/SYS, sameChannels "
             "1\n"
             "n:1:9 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read\n",
             "Socket", "", "nvlink"},
        Case{"InNodeOverPcie",
             "n:1:1 [0] NCCL INFO Using network Socket\n"
             "n:1:1 [0] NCCL INFO Pattern 4, crossNic 0, nChannels 4, bw 24.000000/24.000000, type PHB/PIX, "
             "sameChannels 1\n"
             "n:1:9 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/direct pointer\n",
             "Socket", "", "other"},
        Case{"InNodeThroughMemory", "n:1:9 [0] NCCL INFO Channel 00 : 0[0] -> 1[1] via SHM/direct/direct\n", "", "",
             "shm"},
        Case{"UnknownPlugin",
             "n:1:1 [0] NCCL INFO Using network MyFabric\n"
             "n:1:9 [0] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [send] via NET/MyFabric/0\n",
             "MyFabric", "", "other"},
        Case{"NothingSaid", "NCCL version 2.21.5+cuda12.4\n", "", "", ""}),
    [](const auto& one) { return std::string(one.param.name); });

struct Fault {
  const char* name;
  const char* lines;
  const char* error;
};

class NcclLogOfAFault : public testing::TestWithParam<Fault> {};

TEST_P(NcclLogOfAFault, TellsTheCauseNotTheConsequence) {
  EXPECT_EQ(log_of(GetParam().lines).error(), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Faults, NcclLogOfAFault,
    testing::Values(
        Fault{"ConnectBeforeItsConsequences",
              "\n[2026-01-02 03:04:05] h:1:9 [0] socket.cc:577 NCCL WARN socketPollConnect: connect to 10.0.0.3<41234> "
              "returned Connection "
              "refused, exceeded error retry count after 35 attempts\n"
              "h:1:9 [0] NCCL INFO bootstrap.cc:612 -> 6\n"
              "\n[2026-01-02 03:04:05] h:1:9 [0] proxy.cc:1458 NCCL WARN [Service thread] Accept failed Resource "
              "temporarily unavailable\n",
              "socketPollConnect: connect to 10.0.0.3<41234> returned Connection refused, exceeded error retry count "
              "after 35 attempts"},
        Fault{"OldConnect", "\nh:1:9 [0] misc/socket.cc:516 NCCL WARN socketPollConnect: exceeded retries (20000)\n",
              "socketPollConnect: exceeded retries (20000)"},
        Fault{
            "PeerGoneIsAllThatIsKnown",
            "\nh:1:9 [0] misc/socket.cc:70 NCCL WARN socketProgress: Connection closed by remote peer 10.0.0.3<4242>\n",
            "socketProgress: Connection closed by remote peer 10.0.0.3<4242>"},
        Fault{
            "CauseAfterTheConsequence",
            "\nh:1:9 [0] misc/socket.cc:70 NCCL WARN socketProgress: Connection closed by remote peer 10.0.0.3<4242>\n"
            "\nh:1:9 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer 10.0.0.3<5> with error "
            "12, opcode 0, len 0, "
            "vendor err 129 (Recv)\n",
            "NET/IB : Got completion from peer 10.0.0.3<5> with error 12, opcode 0, len 0, vendor err 129 (Recv)"},
        Fault{"Truncated",
              "\nh:1:1 [0] bootstrap.cc:79 NCCL WARN Message truncated : received 172 bytes instead of 64\n",
              "Message truncated : received 172 bytes instead of 64"},
        Fault{"NoPlugin", "\nh:1:1 [0] plugin/net.cc:277 NCCL WARN Failed to initialize any NET plugin\n",
              "Failed to initialize any NET plugin"},
        Fault{"UnknownWarning",
              "\nh:1:1 [0] foo.cc:1 NCCL WARN something new\n\nh:1:1 [0] foo.cc:2 NCCL WARN and then this.\n",
              "and then this"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(NcclLog, AHugeLineIsLeftOut) {
  NcclLog log;
  log.read("h:1:1 [0] NCCL INFO Using network ");
  log.read(std::string(100000, 'x'));
  log.read("\nh:1:1 [0] NCCL INFO Using network IB\n");
  EXPECT_EQ(log.network(), "IB");
}

TEST(NetworkClass, ProviderDecidesForLibfabricAlone) {
  EXPECT_EQ(network_class("IB", "tcp"), "rdma");
  EXPECT_EQ(network_class("AWS Libfabric and target EFA", "efa"), "rdma");
  EXPECT_EQ(network_class("Libfabric", "verbs;ofi_rxm"), "rdma");
  EXPECT_EQ(network_class("Libfabric", "something"), "other");
  EXPECT_EQ(network_class("IBM Special", ""), "other");
}

}  // namespace
}  // namespace rollcall::child
