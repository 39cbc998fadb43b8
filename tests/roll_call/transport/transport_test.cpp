#include "roll_call/transport/transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "roll_call/machines.h"

namespace rollcall::roll_call::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RankResult over(const std::string& transport, const std::string& network, const std::string& provider = "") {
  RankResult rank;
  rank.transport = transport;
  rank.network = network;
  rank.provider = provider;
  return rank;
}

/// A job of `nnodes` nodes whose ranks `said`(node, local rank).
Roll job_of(int nnodes, const std::function<RankResult(int, int)>& said) {
  Roll roll;
  roll.spec.gpus_per_pod = 2;
  roll.spec.gpu_resource = "nvidia.com/gpu";
  for (int node = 0; node < nnodes; ++node) {
    Pod pod;
    pod.node_rank = node;
    pod.ranks = std::to_string(2 * node) + "-" + std::to_string(2 * node + 1);
    pod.view = PodView{};
    pod.view->node = "gpu-" + std::to_string(node + 1);
    pod.facts = LocalFacts{};
    pod.gpu = sound_gpus(node, 2);
    pod.nccl = sound_nccl(node);
    for (int local = 0; local < 2; ++local) pod.job_ranks.push_back(said(node, local));
    roll.pods.push_back(std::move(pod));
  }
  return roll;
}

TEST(Transport, AllRdmaIsSound) {
  const Roll roll = job_of(3, [](int, int) { return over("rdma", "IB"); });
  EXPECT_TRUE(judge_transport(roll).empty());
  EXPECT_EQ(transport_remark(roll), "rdma via IB");
}

TEST(Transport, AllTcpIsSoundWhereNothingElseWasAsked) {
  const Roll roll = job_of(3, [](int, int) { return over("tcp", "Socket"); });
  EXPECT_TRUE(judge_transport(roll).empty());
  EXPECT_EQ(transport_remark(roll), "tcp via Socket");
}

TEST(Transport, AnUnknownPluginNeverFails) {
  Roll roll = job_of(2, [](int, int) { return over("other", "Tomorrow"); });
  roll.spec.rdma_resource = "rdma/hca";
  EXPECT_TRUE(judge_transport(roll).empty());
  EXPECT_EQ(transport_remark(roll), "other via Tomorrow");
}

TEST(Transport, OneNodeOnTcpAmongRdmaFailsAndIsNamed) {
  Roll roll = job_of(3, [](int node, int) { return node == 1 ? over("tcp", "Socket") : over("rdma", "IB"); });
  LocalFacts without_ib;
  without_ib.env["NCCL_IB_DISABLE"] = "1";
  roll.pods[1].facts = KeptFacts(without_ib);
  const auto found = judge_transport(roll);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, "transport/mixed");
  EXPECT_EQ(found[0].severity, "fail");
  EXPECT_THAT(found[0].message,
              HasSubstr("gpu-2 (node rank 1, ranks 2-3): tcp via Socket; NCCL_IB_DISABLE=1 is set. 2 of "
                        "3 nodes use rdma"));
  EXPECT_THAT(found[0].node_ranks, ElementsAre(1));
}

/// Nodes with two RDMA ports each, both listed by NCCL.
Roll job_on_ports() {
  Roll roll = job_of(3, [](int, int) {
    auto rank = over("rdma", "IB");
    rank.devices = {"mlx5_0:1", "mlx5_1:1"};
    return rank;
  });
  for (Pod& pod : roll.pods) {
    pod.nccl->rdma = {sound_device("mlx5_0"), sound_device("mlx5_1")};
    for (RdmaDevice& device : pod.nccl->rdma) device.listed_by_nccl = true;
  }
  return roll;
}

void cut_off(Pod& pod, std::size_t index) {
  auto& device = pod.nccl->rdma[index];
  device.listed_by_nccl = false;
  device.state = "DOWN";
  device.physical_state = "Polling";
  for (RankResult& rank : pod.job_ranks) rank.devices = {"mlx5_0:1"};
}

std::string message_of(const std::vector<api::NodeFinding>& findings, const std::string& rule) {
  for (const auto& each : findings) {
    if (each.rule == rule) return each.severity + ": " + each.message;
  }
  return "";
}

TEST(Transport, APortThatIsDownIsNamedWhereNcclUsesItOnOtherNodes) {
  Roll roll = job_on_ports();
  cut_off(roll.pods[1], 1);
  const auto said = message_of(judge_transport(roll), "rdma/port-down");
  EXPECT_THAT(said, HasSubstr("warn: gpu-2 (node rank 1, ranks 2-3): port 1 is not up on mlx5_1 (DOWN, Polling)"));
  EXPECT_THAT(said, ::testing::Not(HasSubstr("gpu-1")));
}

TEST(Transport, APortThatNcclUsesNowhereIsNotJudged) {
  Roll roll = job_on_ports();
  for (Pod& pod : roll.pods) cut_off(pod, 1);  // the storage's, for instance
  EXPECT_EQ(message_of(judge_transport(roll), "rdma/port-down"), "");
}

TEST(Transport, OnAnotherMachineTheSameNameMayBeAnotherPort) {
  Roll roll = job_on_ports();
  cut_off(roll.pods[1], 1);
  roll.pods[1].nccl->rdma.push_back(sound_device("mlx5_2"));
  EXPECT_EQ(message_of(judge_transport(roll), "rdma/port-down"), "");
}

TEST(Transport, WhereNcclsListWasNotSeenNoPortIsCalledUnused) {
  Roll roll = job_on_ports();
  cut_off(roll.pods[1], 1);
  roll.pods[1].nccl->rdma[0].listed_by_nccl = false;
  EXPECT_EQ(message_of(judge_transport(roll), "rdma/port-down"), "");
}

TEST(Transport, AListThatMayHaveBeenCutNamesNoPort) {
  Roll roll = job_on_ports();
  cut_off(roll.pods[1], 1);
  for (int i = 0; i < 16; ++i) roll.pods[1].job_ranks[0].devices.push_back("other_" + std::to_string(i) + ":1");
  EXPECT_EQ(message_of(judge_transport(roll), "rdma/port-down"), "");
}

TEST(Transport, RanksOfOneNodeThatDisagreeFail) {
  const Roll roll = job_of(
      2, [](int node, int local) { return node == 1 && local == 1 ? over("tcp", "Socket") : over("rdma", "IB"); });
  const auto found = judge_transport(roll);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, "transport/mixed");
  EXPECT_THAT(found[0].message, HasSubstr("gpu-2 (node rank 1, ranks 2-3): some ranks use rdma, some tcp"));
}

TEST(Transport, TcpFailsWhereThePodAsksForRdma) {
  Roll roll = job_of(2, [](int, int) { return over("tcp", "Socket"); });
  roll.spec.rdma_resource = "rdma/hca";
  const auto found = judge_transport(roll);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "transport/tcp-though-rdma-asked");
  EXPECT_EQ(found[0].severity, "fail");
  EXPECT_THAT(found[0].message, HasSubstr("The pod asks for rdma/hca"));
}

TEST(Transport, LibfabricOverTcpIsTcpWhateverItsName) {
  Roll roll = job_of(2, [](int, int) { return over("rdma", "AWS Libfabric", "tcp"); });
  roll.spec.rdma_resource = "vpc.amazonaws.com/efa";
  const auto found = judge_transport(roll);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, "fail");
  EXPECT_THAT(found[0].message, HasSubstr("libfabric's provider is tcp (AWS Libfabric)"));
  EXPECT_THAT(found[0].message, HasSubstr("though efa is requested"));
}

TEST(Transport, InAPartialEnvironmentItIsAWarning) {
  Roll roll = job_of(2, [](int, int) { return over("tcp", "Socket"); });
  roll.spec.rdma_resource = "rdma/hca";
  roll.spec.partial_environment = "the command sources /opt/profile.sh";
  EXPECT_EQ(judge_transport(roll).at(0).severity, "warn");
}

TEST(Transport, NvlinkWithinANodeIsNotNvlinkBetweenThem) {
  const auto ring = [](int, int local) { return local == 0 ? over("rdma", "IB") : over("nvlink", "IB"); };
  Roll roll = job_of(2, ring);
  EXPECT_TRUE(judge_transport(roll).empty());
  EXPECT_EQ(transport_remark(roll), "rdma via IB");
  for (Pod& pod : roll.pods) {
    for (GpuFact& gpu : pod.gpu->gpus) gpu.fabric_clique = "rack-1";
  }
  EXPECT_EQ(transport_remark(roll), "nvlink + rdma via IB");
}

TEST(Transport, NvlinkCountsAsRdma) {
  Roll roll = job_of(2, [](int, int) { return over("nvlink", ""); });
  roll.spec.rdma_resource = "rdma/hca";
  EXPECT_TRUE(judge_transport(roll).empty());
  EXPECT_EQ(transport_remark(roll), "nvlink");
}

TEST(Transport, ANodeWithFewerDevicesIsAWarning) {
  const Roll roll = job_of(3, [](int node, int local) {
    RankResult rank = over("rdma", "IB");
    rank.devices = {"mlx5_" + std::to_string(node == 1 ? 0 : local) + ":1"};
    return rank;
  });
  const auto found = judge_transport(roll);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "transport/devices-differ");
  EXPECT_EQ(found[0].severity, "warn");
  EXPECT_THAT(found[0].message, HasSubstr("1 of 3 nodes has 1 device listed by NCCL: gpu-2"));
}

TEST(Transport, GpuDirectOnSomeNodesOnlyIsAWarning) {
  const Roll roll = job_of(3, [](int node, int) {
    RankResult rank = over("rdma", "IB");
    rank.gdr = node != 2;
    return rank;
  });
  const auto found = judge_transport(roll);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].message, HasSubstr("1 of 3 nodes has no GPUDirect RDMA: gpu-3"));
}

}  // namespace
}  // namespace rollcall::roll_call::testing
