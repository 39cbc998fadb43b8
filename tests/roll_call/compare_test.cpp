#include "roll_call/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::roll_call {
namespace {

using ::testing::HasSubstr;

LocalFacts sound(int node) {
  LocalFacts f;
  f.hostname = "h" + std::to_string(node);
  f.boot_id = "boot-" + std::to_string(node);
  f.kernel = "6.1.0";
  f.architecture = "x86_64";
  f.shm_bytes = 64 << 20;
  f.nofile = 1024;
  f.port_range = "32768 60999";
  f.interfaces = {{"eth0", 1500, true, {"10.0.0." + std::to_string(node)}}};
  f.libraries = {{"nccl", "/usr/lib/libnccl.so.2", "2.27.5", "aa"}, {"torch", "/t", "2.9.0", ""}};
  return f;
}

using Change = std::function<void(int, LocalFacts&)>;

std::vector<api::NodeFinding> compared(int n, const Change& change) {
  std::vector<Pod> pods(static_cast<std::size_t>(n));
  std::vector<const Pod*> pointers;
  for (int i = 0; i < n; ++i) {
    Pod& pod = pods[static_cast<std::size_t>(i)];
    pod.node_rank = i;
    pod.view = PodView{};
    pod.view->node = "gpu-" + std::to_string(i);
    pod.view->address = "10.0.0." + std::to_string(i);
    LocalFacts facts = sound(i);
    change(i, facts);
    pod.facts = facts;
    pointers.push_back(&pod);
  }
  return compare(pointers);
}

struct Case {
  const char* name;
  Change change;
  const char* rule;
  const char* severity;
  const char* says;
};

class Difference : public ::testing::TestWithParam<Case> {};

TEST_P(Difference, NamesTheMinority) {
  const auto found = compared(3, GetParam().change);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, GetParam().rule);
  EXPECT_EQ(found[0].severity, GetParam().severity);
  EXPECT_THAT(found[0].message, HasSubstr(GetParam().says));
  EXPECT_THAT(found[0].node_ranks, ::testing::ElementsAre(1));
}

Change on_one(const std::function<void(LocalFacts&)>& change) {
  return [change](int node, LocalFacts& f) {
    if (node == 1) change(f);
  };
}

INSTANTIATE_TEST_SUITE_P(
    Each, Difference,
    ::testing::Values(
        Case{"NcclVersion", on_one([](auto& f) { f.libraries[0].version = "2.21.5"; }), "nccl/version", "fail",
             "1 of 3 nodes has NCCL 2.21.5: gpu-1; the other 2 have NCCL 2.27.5"},
        Case{"NcclBuild", on_one([](auto& f) { f.libraries[0].build_id = "bb"; }), "nccl/build", "fail",
             "1 of 3 nodes has the build of NCCL with id bb: gpu-1"},
        Case{"NcclOnSomeNodes", on_one([](auto& f) { f.libraries.erase(f.libraries.begin()); }), "nccl/on-some-nodes",
             "warn", "1 of 3 nodes has no libnccl in the image: gpu-1"},
        Case{"NetPlugin", on_one([](auto& f) {
               f.libraries.push_back({"nccl-net", "/opt/libnccl-net-ofi.so", "", ""});
             }),
             "nccl/net-plugin", "fail",
             "1 of 3 nodes has an NCCL net plugin: gpu-1; the other 2 have no NCCL net plugin"},
        Case{"MustEqualEnv", on_one([](auto& f) { f.env["NCCL_PROTO"] = "LL"; }), "env/must-be-equal", "fail",
             "1 of 3 nodes has NCCL_PROTO=LL: gpu-1; the other 2 have NCCL_PROTO unset"},
        Case{"ShouldEqualEnv", on_one([](auto& f) { f.env["NCCL_DEBUG"] = "INFO"; }), "env/should-be-equal", "warn",
             "NCCL_DEBUG=INFO"},
        Case{"Torch", on_one([](auto& f) { f.libraries[1].version = "2.8.0"; }), "torch/version", "warn",
             "torch 2.8.0"},
        Case{"Kernel", on_one([](auto& f) { f.kernel = "6.8.0"; }), "node/kernel", "warn", "kernel 6.8.0"},
        Case{"Architecture", on_one([](auto& f) { f.architecture = "aarch64"; }), "node/architecture", "warn",
             "architecture aarch64"},
        Case{"Mtu", on_one([](auto& f) { f.interfaces[0].mtu = 9000; }), "node/mtu", "warn", "MTU 9000"},
        Case{"Shm", on_one([](auto& f) { f.shm_bytes = 1 << 30; }), "node/shm", "warn", "/dev/shm of 1024 MiB"},
        Case{"Nofile", on_one([](auto& f) { f.nofile = 65536; }), "node/nofile", "warn", "an open-file limit of 65536"},
        Case{"ConfFile", on_one([](auto& f) { f.conf_files["/etc/nccl.conf"] = "e3b0c44298"; }), "nccl/conf-files",
             "warn", "NCCL configuration /etc/nccl.conf (e3b0c442)"},
        Case{"SeveralNccl", on_one([](auto& f) {
               f.libraries.push_back({"nccl", "/opt/libnccl.so.2", "2.21.5", "cc"});
             }),
             "nccl/several-versions", "warn", "1 of 3 nodes has more than one NCCL in the image (2.21.5 and 2.27.5)"}),
    [](const auto& each) { return each.param.name; });

TEST(Comparison, WhatIsNormalIsNotSaid) {
  EXPECT_TRUE(compared(4, [](int, LocalFacts&) {}).empty());
  // Hosts, addresses in other subnets, memory: each node its own.
  EXPECT_TRUE(compared(4, [](int node, LocalFacts& f) {
                f.interfaces.push_back({"eth1", 9000 + node, true, {"192.168." + std::to_string(node) + ".1"}});
                f.memory_available_bytes = node << 20;
              }).empty());
}

TEST(Comparison, AValueThatCouldNotBeReadDiffersFromNothing) {
  EXPECT_TRUE(compared(3, on_one([](LocalFacts& f) {
                         f.libraries[0].version = f.libraries[0].build_id = f.libraries[1].version = "";
                         f.interfaces.clear();
                       }))
                  .empty());
}

/// A node whose image is still being streamed has found no library at all when its time is up.
TEST(Comparison, WhereNoFileCouldBeReadNoLibraryAndNoPluginIsCalledMissing) {
  EXPECT_THAT(compared(3,
                       [](int node, LocalFacts& f) {
                         f.libraries.push_back({"nccl-net", "/opt/libnccl-net-ofi.so", "", ""});
                         if (node == 1) f.libraries.clear();
                       }),
              ::testing::IsEmpty());
}

TEST(Comparison, MasterAddrIsHandedOverLaterAndNotCompared) {
  EXPECT_TRUE(compared(3, on_one([](LocalFacts& f) { f.env["MASTER_ADDR"] = "10.0.0.9"; })).empty());
}

TEST(Comparison, OfEqualHalvesTheOneWithNodeRank0IsTheMajority) {
  const auto found = compared(2, on_one([](LocalFacts& f) { f.kernel = "5.15"; }));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].message, HasSubstr("1 of 2 nodes has kernel 5.15: gpu-1; the other one has kernel 6.1.0"));
}

TEST(Comparison, ManyValuesAreCounted) {
  const auto found = compared(20, [](int node, LocalFacts& f) { f.kernel = "6." + std::to_string(node); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].message, HasSubstr("15 other values"));
}

}  // namespace
}  // namespace rollcall::roll_call
