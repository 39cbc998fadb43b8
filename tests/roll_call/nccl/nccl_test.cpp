#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "roll_call/world.h"

namespace rollcall::roll_call::testing {
namespace {

using ::testing::HasSubstr;

struct Played {
  Played(int nnodes, const std::function<void(int, NcclFacts&)>& change,
         const std::function<void(api::RollCall&)>& change_roll = {},
         const std::function<void(int, LocalFacts&)>& change_facts = {})
      : world(nnodes, [&](api::RollCall& r) {
          r.spec.gpus_per_pod = 8;
          r.spec.gpu_resource = "nvidia.com/gpu";
          if (change_roll) change_roll(r);
        }) {
    world.nccl = [change](int node) {
      NcclFacts facts = sound_nccl(node);
      change(node, facts);
      return facts;
    };
    world.facts = [facts = world.facts, change_facts](int node) {
      LocalFacts f = facts(node);
      f.boot_id = "boot-" + std::to_string(node);
      f.gpus_visible = 8;
      if (change_facts) change_facts(node, f);
      return f;
    };
    world.see_all();
    world.round();
    for (const auto& each : world.status().findings) {
      if (each.rule.rfind("nccl/", 0) == 0 || each.rule.rfind("rdma/", 0) == 0) findings.push_back(each);
    }
  }

  World world;
  std::vector<api::NodeFinding> findings;
};

void asks_for_rdma(api::RollCall& r) { r.spec.rdma_resource = "rdma/hca"; }

TEST(Nccl, SoundNodesPassWithLibraryAndInterface) {
  Played played(3, [](int, NcclFacts&) {});
  EXPECT_TRUE(played.findings.empty()) << played.findings.front().message;
  EXPECT_EQ(played.world.stage_state("Nccl"), "Passed: NCCL 2.27.5 on eth0");
}

struct Fault {
  const char* name;
  std::function<void(NcclFacts&)> change;
  const char* rule;
  const char* severity;
  const char* owner;
  const char* says;
  bool rdma_asked = false;
};
void PrintTo(const Fault& each, std::ostream* out) { *out << each.name; }

class NcclFault : public ::testing::TestWithParam<Fault> {};

/// Three nodes, one of them (node rank 1) with the fault.
TEST_P(NcclFault, NamesTheNodeAndWhoMustAct) {
  Played played(
      3,
      [](int node, NcclFacts& f) {
        if (GetParam().rdma_asked) f.rdma = {sound_device("mlx5_0"), sound_device("mlx5_1")};
        if (node == 1) GetParam().change(f);
      },
      [](api::RollCall& r) {
        if (GetParam().rdma_asked) asks_for_rdma(r);
      });
  ASSERT_EQ(played.findings.size(), 1u) << played.world.stage_state("Nccl");
  const auto& found = played.findings.front();
  EXPECT_EQ(found.rule, GetParam().rule);
  EXPECT_EQ(found.severity, GetParam().severity);
  EXPECT_EQ(found.owner, GetParam().owner);
  EXPECT_THAT(found.message, HasSubstr("gpu-2"));
  EXPECT_THAT(found.message, HasSubstr(GetParam().says));
  EXPECT_EQ(played.world.status().stage == "Held", std::string(GetParam().severity) == "fail");
}

std::function<void(NcclFacts&)> publishes(const char* address, const char* interface) {
  return [address, interface](NcclFacts& f) {
    f.interface_address = address;
    f.interface_name = interface;
  };
}

std::function<void(NcclFacts&)> ports(const char* state, const char* physical) {
  return [state, physical](NcclFacts& f) {
    for (RdmaDevice& each : f.rdma) {
      each.state = state;
      each.physical_state = physical;
    }
  };
}

INSTANTIATE_TEST_SUITE_P(
    Each, NcclFault,
    ::testing::Values(
        Fault{"OtherVersion", [](NcclFacts& f) { f.version = "2.21.5"; }, "nccl/version", "fail", "job",
              "1 of 3 nodes has NCCL 2.21.5: gpu-2; the other 2 have NCCL 2.27.5"},
        Fault{"OtherBuild", [](NcclFacts& f) { f.build_id = "bb"; }, "nccl/build", "fail", "job",
              "1 of 3 nodes has the build of NCCL with id bb: gpu-2"},
        Fault{"PluginOnOneNode", [](NcclFacts& f) { f.plugins = {"libnccl-net.so (sha256 1234abcd)"}; },
              "nccl/net-plugin", "fail", "job", "1 of 3 nodes has an NCCL net plugin: gpu-2"},
        Fault{"NotLoadable",
              [](NcclFacts& f) {
                f.version.clear();
                f.interface_result = -1;
                f.error = "libstdc++.so.6: cannot open shared object file";
              },
              "nccl/not-loadable", "fail", "job", "/opt/venv/lib/libnccl.so.2: libstdc++.so.6"},
        Fault{"NeverEnded",
              [](NcclFacts& f) {
                f = NcclFacts{};
                f.path = "/l";
                f.stopped_in = "dlopen for 60 s";
              },
              "nccl/no-answer", "fail", "node", "had been in dlopen for 60 s when it was killed"},
        Fault{"Loopback", publishes("127.0.0.1", "lo"), "nccl/interface-unreachable", "fail", "job",
              "NCCL 2.27.5 will publish 127.0.0.1 of lo, a loopback address, which no other node can reach"},
        Fault{"LinkLocal", publishes("fe80::1", "eth0"), "nccl/interface-unreachable", "fail", "job",
              "a link-local address"},
        Fault{"NoInterface",
              [](NcclFacts& f) {
                f.interface_result = 5;
                f.interface_error = "Bootstrap : no socket interface found";
                f.interface_address.clear();
              },
              "nccl/no-interface", "fail", "job",
              "refuses to start: 'Bootstrap : no socket interface found'; interfaces that are up: eth0"},
        Fault{"AnErrorNobodyKnows",
              [](NcclFacts& f) {
                f.interface_result = 2;
                f.interface_error = "something new";
              },
              "nccl/no-interface", "fail", "job", "'something new'"},
        Fault{"OtherInterface", publishes("10.0.0.2", "net1"), "nccl/interface-differs", "warn", "job",
              "chosen as NCCL's interface net1: gpu-2"},
        Fault{"CommId", [](NcclFacts& f) { f.interface_forced = true; }, "nccl/comm-id-set", "warn", "job",
              "NCCL_COMM_ID is set"},
        Fault{"NoDriver",
              [](NcclFacts& f) {
                f.rdma.clear();
                f.ib_driver = false;
              },
              "rdma/no-driver", "fail", "node", "the node has no RDMA driver loaded", true},
        Fault{"NotOpenable",
              [](NcclFacts& f) {
                for (RdmaDevice& each : f.rdma) {
                  each.opens = false;
                  each.error = "Operation not permitted";
                }
              },
              "rdma/not-openable", "fail", "cluster",
              "none of 2 RDMA devices can be opened in the container (Operation not permitted)", true},
        Fault{"NoLibibverbs", [](NcclFacts& f) { f.ibverbs = false; }, "rdma/no-libibverbs", "fail", "job",
              "the image has no libibverbs.so.1", true},
        Fault{"Down", ports("DOWN", "Polling"), "rdma/port-down", "fail", "network", "mlx5_0 and mlx5_1: DOWN, Polling",
              true},
        Fault{"Init", ports("INIT", "LinkUp"), "rdma/port-init", "fail", "network", "no subnet manager", true},
        Fault{"LockedMemory",
              [](NcclFacts& f) {
                f.memlock_tried = false;
                f.memlock_bytes = 64 << 10;
              },
              "rdma/memlock", "fail", "cluster", "the limit is 64 KiB", true},
        Fault{"EmptyGid",
              [](NcclFacts& f) {
                for (RdmaDevice& each : f.rdma) {
                  each.link_layer = "Ethernet";
                  each.gid_zero = true;
                }
              },
              "rdma/gid-empty", "fail", "job", "the GID at the chosen index is empty on mlx5_0 and mlx5_1", true}),
    [](const auto& each) { return each.param.name; });

struct Sound {
  const char* name;
  std::function<void(int, NcclFacts&)> change;
  bool rdma_asked = false;
};
void PrintTo(const Sound& each, std::ostream* out) { *out << each.name; }

class NcclSound : public ::testing::TestWithParam<Sound> {};

TEST_P(NcclSound, NoFinding) {
  Played played(3, GetParam().change, [](api::RollCall& r) {
    if (GetParam().rdma_asked) asks_for_rdma(r);
  });
  EXPECT_TRUE(played.findings.empty()) << played.findings.front().rule << ": " << played.findings.front().message;
  EXPECT_THAT(played.world.stage_state("Nccl"), HasSubstr("Passed"));
}

INSTANTIATE_TEST_SUITE_P(
    Each, NcclSound,
    ::testing::Values(Sound{"HostsDevicesShowButNoneIsOurs",
                            [](int, NcclFacts& f) {
                              f.rdma = {sound_device("mlx5_0"), sound_device("mlx5_1")};
                              for (RdmaDevice& each : f.rdma) each.opens = false;
                            }},
                      Sound{"NoRdmaAtAll", [](int, NcclFacts& f) { f.ib_driver = false; }},
                      Sound{"StoragePortDownBesideWorkingOnes",
                            [](int, NcclFacts& f) {
                              f.rdma = {sound_device("mlx5_0"), sound_device("mlx5_1"), sound_device("mlx5_bond_0")};
                              f.rdma[2].state = "DOWN";
                            },
                            true},
                      Sound{"DifferentListsOfDevices",
                            [](int node, NcclFacts& f) { f.rdma = {sound_device("mlx5_" + std::to_string(node))}; },
                            true},
                      Sound{"PluginBringsItsOwnVerbs",
                            [](int, NcclFacts& f) {
                              f.rdma = {sound_device("rdmap16s27")};
                              f.ibverbs = false;
                              f.plugins = {"libnccl-net.so"};
                            },
                            true},
                      Sound{"OneEmptyGidOfTwo",
                            [](int, NcclFacts& f) {
                              f.rdma = {sound_device("mlx5_0"), sound_device("mlx5_1")};
                              for (RdmaDevice& each : f.rdma) each.link_layer = "Ethernet";
                              f.rdma[0].gid_zero = true;
                            },
                            true},
                      Sound{"MemlockSmallButLocked",
                            [](int, NcclFacts& f) {
                              f.rdma = {sound_device("mlx5_0")};
                              f.memlock_bytes = 8 << 20;
                            },
                            true},
                      Sound{"BuildIdNotReadable", [](int node, NcclFacts& f) { f.build_id = node == 1 ? "" : "aa"; }}),
    [](const auto& each) { return each.param.name; });

struct NotAsked {
  const char* name;
  bool not_started;
  const char* error;
};
void PrintTo(const NotAsked& each, std::ostream* out) { *out << each.name; }
class NcclNotAsked : public ::testing::TestWithParam<NotAsked> {};

/// Neither proves that the library cannot be loaded: nobody is held for it, and nothing is called missing.
TEST_P(NcclNotAsked, IsAWarningAndTheCollectivesAreSkipped) {
  Played played(3, [](int node, NcclFacts& f) {
    if (node != 1) return;
    f.interface_result = -1;
    f.version.clear();
    f.not_started = GetParam().not_started;
    f.cut_short = !GetParam().not_started;
    f.error = GetParam().error;
  });
  ASSERT_EQ(played.findings.size(), 1u) << played.world.stage_state("Nccl");
  EXPECT_EQ(played.findings[0].rule, "nccl/not-asked");
  EXPECT_EQ(played.findings[0].severity, "warn");
  EXPECT_THAT(played.findings[0].message, HasSubstr(std::string("gpu-2")));
  EXPECT_THAT(played.findings[0].message, HasSubstr(GetParam().error));
  EXPECT_THAT(played.world.stage_state("NodeCollective"), HasSubstr(GetParam().error));
}
INSTANTIATE_TEST_SUITE_P(
    Each, NcclNotAsked,
    ::testing::Values(NotAsked{"NoProcess", true, "no process could be made for /opt/rollcall/rollcall-probe-child"},
                      NotAsked{"Crash", false, "the program that asks NCCL was ended by SIGSEGV (invalid memory)"}),
    [](const auto& each) { return each.param.name; });

TEST(Nccl, WhereTheImageCouldNotBeReadNoPluginIsCalledMissing) {
  Played played(3, [&](int node, NcclFacts& f) {
    f.source = "bundled";
    f.plugins = {"libnccl-net.so (sha256 1234abcd)"};
    if (node != 1) return;
    f.plugins.clear();
    f.cut_short = true;
    f.error = "the child that reads the image's files was killed at its deadline";
  });
  ASSERT_EQ(played.findings.size(), 1u);
  EXPECT_EQ(played.findings[0].rule, "nccl/not-asked");
}

TEST(Nccl, WhereTheImageCouldNotBeReadNoLibraryIsCalledMissing) {
  constexpr auto kWhy = "whether the image has a libnccl.so.2 is not known: the child was killed at its deadline";
  Played played(3, [&](int node, NcclFacts& f) {
    if (node != 1) return;
    f = NcclFacts{};
    f.cut_short = true;
    f.error = kWhy;
  });
  ASSERT_EQ(played.findings.size(), 1u);
  EXPECT_EQ(played.findings[0].rule, "nccl/not-asked");
  EXPECT_THAT(played.world.stage_state("NodeCollective"), HasSubstr(kWhy));
}

TEST(Nccl, LoopbackIsSoundForOneNode) {
  Played played(1, [](int, NcclFacts& f) { publishes("127.0.0.1", "lo")(f); });
  EXPECT_TRUE(played.findings.empty()) << played.findings.front().message;
}

TEST(Nccl, TheSettingThatChoseTheInterfaceIsSaid) {
  Played played(
      2, [](int, NcclFacts& f) { publishes("127.0.0.1", "lo")(f); }, {},
      [](int, LocalFacts& f) { f.env["NCCL_SOCKET_IFNAME"] = "^eth"; });
  EXPECT_THAT(played.world.finding("nccl/interface-unreachable"), HasSubstr("(NCCL_SOCKET_IFNAME=^eth)"));
}

TEST(Nccl, ABridgeHasTheSameAddressOnEveryNode) {
  Played played(3, [](int, NcclFacts& f) { publishes("10.42.0.1", "cni0")(f); });
  ASSERT_EQ(played.findings.size(), 1u);
  EXPECT_EQ(played.findings[0].rule, "nccl/interface-same-address");
  EXPECT_EQ(played.findings[0].severity, "fail");
}

TEST(Nccl, PodsOfOneNodeOnTheHostNetworkShareItsAddress) {
  Played played(
      2, [](int, NcclFacts& f) { publishes("192.168.0.7", "eno1")(f); }, {},
      [](int, LocalFacts& f) { f.boot_id = "boot"; });
  EXPECT_TRUE(played.findings.empty()) << played.findings.front().message;
}

TEST(Nccl, InAPartialEnvironmentNothingOfItFails) {
  Played played(
      2, [](int, NcclFacts& f) { publishes("127.0.0.1", "lo")(f); },
      [](api::RollCall& r) { r.spec.partial_environment = "the command sources /opt/profile.sh"; });
  ASSERT_EQ(played.findings.size(), 1u);
  EXPECT_EQ(played.findings[0].severity, "warn");
}

TEST(Nccl, LinkedIntoTorchIsSkippedWithTheWayOut) {
  Played played(2, [](int, NcclFacts& f) {
    f = NcclFacts{};
    f.linked_statically = "libtorch_cuda.so";
  });
  EXPECT_THAT(played.world.stage_state("Nccl"),
              HasSubstr("Skipped: gpu-1 (node rank 0) and gpu-2 (node rank 1): NCCL is linked into libtorch_cuda.so"));
  EXPECT_THAT(played.world.stage_state("Nccl"), HasSubstr("rollCall.nccl: Bundled"));
  EXPECT_TRUE(played.findings.empty());
}

TEST(Nccl, WhatTheFilesShowedIsNotSaidAgain) {
  Played played(
      3, [](int node, NcclFacts& f) { f.version = node == 1 ? "2.21.5" : "2.27.5"; }, {},
      [](int node, LocalFacts& f) { f.libraries[0].version = node == 1 ? "2.21.5" : "2.27.5"; });
  EXPECT_EQ(played.findings.size(), 1u);
}

}  // namespace
}  // namespace rollcall::roll_call::testing
