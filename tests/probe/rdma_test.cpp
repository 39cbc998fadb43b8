// RDMA devices as sysfs shows them on machines of each kind, from made files.
#include "probe/facts/rdma.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "probe/support/process.h"

namespace rollcall::probe {
namespace {

using roll_call::RdmaDevice;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::TemporaryDirectory;

const std::string kNoGid = "0000:0000:0000:0000:0000:0000:0000:0000";
const std::string kIpv4Gid = "0000:0000:0000:0000:0000:ffff:0a00:0107";
const std::string kLocalGid = "fe80:0000:0000:0000:0ac0:ebff:fe12:3456";

/// A machine's RDMA devices below a root of its own.
class Machine {
 public:
  struct Port {
    std::string state = "4: ACTIVE";
    std::string physical = "5: LinkUp";
    std::string rate = "400 Gb/sec (4X NDR)";
    std::string layer = "InfiniBand";
    std::vector<std::pair<std::string, std::string>> gids = {{"fe80:0000:0000:0000:0002:c903:0000:0001", "IB/RoCE v1"}};
  };

  /// `node` is its uverbs node, which is in the container when `injected`.
  void device(const std::string& name, const std::string& driver, const Port& port, const std::string& node,
              bool injected) {
    const std::string at = "sys/class/infiniband/" + name;
    root_.write(at + "/ports/1/state", port.state + "\n");
    root_.write(at + "/ports/1/phys_state", port.physical + "\n");
    root_.write(at + "/ports/1/rate", port.rate + "\n");
    root_.write(at + "/ports/1/link_layer", port.layer + "\n");
    for (std::size_t i = 0; i < port.gids.size(); ++i) {
      root_.write(at + "/ports/1/gids/" + std::to_string(i), port.gids[i].first + "\n");
      if (!port.gids[i].second.empty())
        root_.write(at + "/ports/1/gid_attrs/types/" + std::to_string(i), port.gids[i].second + "\n");
    }
    root_.write(at + "/device/uevent", "");
    std::filesystem::create_symlink("../../../bus/pci/drivers/" + driver, root_.path() + "/" + at + "/device/driver");
    if (!node.empty()) root_.write("sys/class/infiniband_verbs/" + node + "/ibdev", name + "\n");
    if (injected) root_.write("dev/infiniband/" + node, "");
  }

  void setting(const std::string& name, const std::string& value) { environment_[name] = value; }
  const TemporaryDirectory& root() const { return root_; }
  ImageView view() const {
    return {root_.path(), [this](const char* name) -> std::optional<std::string> {
              const auto at = environment_.find(name);
              return at == environment_.end() ? std::nullopt : std::optional(at->second);
            }};
  }

 private:
  TemporaryDirectory root_;
  std::map<std::string, std::string> environment_;
};

TEST(Rdma, EfaShows32DevicesThatOpen) {
  Machine p5;
  Machine::Port port;
  port.layer = "Unspecified";
  port.rate = "100 Gb/sec (4X EDR)";
  for (int i = 0; i < 32; ++i)
    p5.device("rdmap" + std::to_string(16 + i) + "s27", "efa", port, "uverbs" + std::to_string(i), true);
  const auto devices = read_rdma(p5.view());
  ASSERT_THAT(devices, SizeIs(32));
  for (const auto& device : devices) {
    EXPECT_TRUE(device.opens) << device.error;
    EXPECT_EQ(device.driver, "efa");
    EXPECT_EQ(device.state, "ACTIVE");
    EXPECT_EQ(device.rate_gbits, 100);
    EXPECT_FALSE(device.gid_zero);
  }
}

TEST(Rdma, AnInfiniBandDeviceIsReadWhole) {
  Machine machine;
  machine.device("mlx5_0", "mlx5_core", {}, "uverbs0", true);
  RdmaDevice expected;
  expected.name = "mlx5_0";
  expected.driver = "mlx5_core";
  expected.opens = true;
  expected.state = "ACTIVE";
  expected.physical_state = "LinkUp";
  expected.link_layer = "InfiniBand";
  expected.rate_gbits = 400;
  EXPECT_THAT(read_rdma(machine.view()), ::testing::ElementsAre(expected));
}

TEST(Rdma, OnAHostNetworkForeignDevicesAndStoragePortsAreToldAsWhatTheyAre) {
  Machine roce;
  Machine::Port port;
  port.layer = "Ethernet";
  port.gids = {{kLocalGid, "IB/RoCE v1"}, {kLocalGid, "RoCE v2"}, {kIpv4Gid, "IB/RoCE v1"}, {kIpv4Gid, "RoCE v2"}};
  roce.device("mlx5_0", "mlx5_core", port, "uverbs0", true);
  Machine::Port storage = port;
  storage.state = "1: DOWN";
  storage.physical = "3: Disabled";
  roce.device("mlx5_8", "mlx5_core", storage, "uverbs8", true);
  Machine::Port function = port;
  function.gids = {{kNoGid, ""}, {kNoGid, ""}};
  roce.device("mlx5_9", "mlx5_core", function, "uverbs9", false);  // another pod's virtual function
  const auto devices = read_rdma(roce.view());
  ASSERT_THAT(devices, SizeIs(3));
  EXPECT_TRUE(devices[0].opens);
  EXPECT_EQ(devices[0].gid_type, "RoCE v2");
  EXPECT_FALSE(devices[0].gid_zero);
  EXPECT_EQ(devices[1].state, "DOWN");
  EXPECT_EQ(devices[1].physical_state, "Disabled");
  EXPECT_FALSE(devices[2].opens);
  EXPECT_EQ(devices[2].error, "/dev/infiniband/uverbs9 is not in the container");
  EXPECT_TRUE(devices[2].gid_zero);
}

TEST(Rdma, TheThreeOwnersOfADeadLinkCanBeToldApart) {
  Machine machine;
  Machine::Port down;
  down.state = "1: DOWN";
  down.physical = "2: Polling";
  machine.device("mlx5_0", "mlx5_core", down, "uverbs0", true);
  Machine::Port init;
  init.state = "2: INIT";
  machine.device("mlx5_1", "mlx5_core", init, "uverbs1", true);
  machine.device("mlx5_2", "mlx5_core", {}, "", false);
  const auto devices = read_rdma(machine.view());
  ASSERT_THAT(devices, SizeIs(3));
  EXPECT_EQ(devices[0].state + " " + devices[0].physical_state, "DOWN Polling") << "a cable";
  EXPECT_EQ(devices[1].state + " " + devices[1].physical_state, "INIT LinkUp") << "no subnet manager";
  EXPECT_THAT(devices[2].error, HasSubstr("ib_uverbs")) << "no driver";
}

TEST(Rdma, ANodeThatCannotBeOpenedIsToldWithItsErrno) {
  Machine machine;
  machine.device("mlx5_0", "mlx5_core", {}, "uverbs0", false);
  std::filesystem::create_directories(machine.root().path() + "/dev/infiniband/uverbs0");  // EISDIR, for root too
  const auto devices = read_rdma(machine.view());
  ASSERT_THAT(devices, SizeIs(1));
  EXPECT_FALSE(devices[0].opens);
  EXPECT_THAT(devices[0].error, HasSubstr("/dev/infiniband/uverbs0: "));
  EXPECT_THAT(devices[0].error, HasSubstr("(EISDIR)"));
}

TEST(Rdma, AMachineWithoutAnyHasNone) { EXPECT_THAT(read_rdma(Machine().view()), IsEmpty()); }

struct GidCase {
  const char* name;
  const char* layer;
  const char* setting;
  std::vector<std::pair<std::string, std::string>> gids;
  int index;
};
class Gid : public ::testing::TestWithParam<GidCase> {};
TEST_P(Gid, IsTheOneNcclTakes) {
  Machine machine;
  Machine::Port port;
  port.layer = GetParam().layer;
  port.gids = GetParam().gids;
  machine.device("mlx5_0", "mlx5_core", port, "uverbs0", true);
  if (*GetParam().setting != '\0') machine.setting("NCCL_IB_GID_INDEX", GetParam().setting);
  EXPECT_EQ(
      chosen_gid_index(machine.view(), machine.root().path() + "/sys/class/infiniband/mlx5_0/ports/1", port.layer),
      GetParam().index);
}
INSTANTIATE_TEST_SUITE_P(
    Rdma, Gid,
    ::testing::Values(
        GidCase{"InfiniBand", "InfiniBand", "3", {{kLocalGid, "IB/RoCE v1"}}, 0},
        GidCase{"Given", "Ethernet", "3", {{kLocalGid, "RoCE v2"}}, 3},
        GidCase{"Ipv4", "Ethernet", "", {{kLocalGid, "RoCE v2"}, {kIpv4Gid, "IB/RoCE v1"}, {kIpv4Gid, "RoCE v2"}}, 2},
        GidCase{"OnlyIpv6", "Ethernet", "", {{kLocalGid, "IB/RoCE v1"}, {kLocalGid, "RoCE v2"}}, 1},
        GidCase{"NoVersion2", "Ethernet", "", {{kLocalGid, "IB/RoCE v1"}}, 0},
        GidCase{"Negative", "Ethernet", "-1", {{kNoGid, ""}, {kIpv4Gid, "RoCE v2"}}, 1}),
    [](const auto& test) { return test.param.name; });

TEST(Rdma, LibibverbsIsLookedForWhereALoaderLooks) {
  Machine machine;
  EXPECT_FALSE(has_ibverbs(machine.view()));
  machine.root().write("opt/rdma/libibverbs.so.1", "");
  EXPECT_FALSE(has_ibverbs(machine.view()));
  machine.setting("LD_LIBRARY_PATH", "/opt/other:/opt/rdma");
  EXPECT_TRUE(has_ibverbs(machine.view()));
  Machine usual;
  usual.root().write("usr/lib/x86_64-linux-gnu/libibverbs.so.1", "");
  EXPECT_TRUE(has_ibverbs(usual.view()));
}

}  // namespace
}  // namespace rollcall::probe
