// NCCL's settings: whose they are, what is nearly a name, and what is fine.
#include <gtest/gtest.h>

#include "launch/rules/nccl_env/names.h"
#include "tests/launch/manifests.h"

namespace rollcall::launch {
namespace {

using test::findings_of;
using test::job;
using test::short_of;

const std::string kValue = " @ spec.template.spec.containers[0].env[0].value";

/// The findings of a TrainingJob of four nodes with one variable.
std::string found(const std::string& name, const std::string& value) {
  return short_of(findings_of(
      job("          command: [torchrun, t.py]\n          env: [{name: " + name + ", value: '" + value + "'}]\n")));
}

TEST(NcclNames, SlipsOfThePenAreFound) {
  using rules::nearest_nccl_name;
  EXPECT_EQ(nearest_nccl_name("NCCL_SOCKET_IFNAMES"), "NCCL_SOCKET_IFNAME");
  EXPECT_EQ(nearest_nccl_name("NCCL_SOKCET_IFNAME"), "NCCL_SOCKET_IFNAME");
  EXPECT_EQ(nearest_nccl_name("NCCL_IFNAME"), "NCCL_SOCKET_IFNAME");
  EXPECT_EQ(nearest_nccl_name("NCCL_IB_DISABLED"), "NCCL_IB_DISABLE");
  EXPECT_EQ(nearest_nccl_name("NCCL_DEBUGG"), "NCCL_DEBUG");
  EXPECT_EQ(nearest_nccl_name("NCCL_IB_GID_INDX"), "NCCL_IB_GID_INDEX");
  EXPECT_EQ(nearest_nccl_name("NCCL_NET_GDR_LEVLE"), "NCCL_NET_GDR_LEVEL");
}

TEST(NcclNames, OfOthersAreNoSlips) {
  for (const char* name :
       {"NCCL_VERSION", "NCCL_TIMEOUT", "NCCL_HOME", "NCCL_FASTRAK_CTRL_DEV", "NCCL_GPUDIRECTTCPX_CTRL_DEV",
        "NCCL_TUNER_CONFIG_PATH", "NCCL_SHIMNET_GUEST_CONFIG_CHECKER_CONFIG_FILE", "NCCL_PLUGIN_P2P", "NCCL_UCX_TLS",
        "NCCL_BLOCKING_WAIT", "NCCL_DYNAMIC_CHUNK_SIZE", "NCCL_SHARP_DISABLE", "NCCL_IBEXT_DISABLE"})
    EXPECT_TRUE(rules::known_nccl_name(name)) << name;
  for (const char* name : {"NCCL_FROM_A_VENDOR", "NCCL_X", "NCCL_", "NCCL_IB", "MY_NCCL_DEBUG", "NCCL_PERF_LEVEL"})
    EXPECT_EQ(rules::nearest_nccl_name(name), "") << name;
  EXPECT_EQ(rules::nearest_nccl_name("NCCL_" + std::string(10'000, 'A')), "");
}

TEST(NcclNames, NoKnownNameIsAnothersSlip) {
  for (const char* name :
       {"NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS", "NCCL_IB_TC", "NCCL_IB_SL", "NCCL_NET", "NCCL_ALGO"})
    EXPECT_TRUE(rules::known_nccl_name(name)) << name;
}

TEST(NcclInterfaces, TheLoopback) {
  EXPECT_EQ(found("NCCL_SOCKET_IFNAME", "=lo"), "deny nccl-env/loopback-interface" + kValue);
  EXPECT_EQ(found("NCCL_SOCKET_IFNAME", "lo,eth0"), "");
  EXPECT_EQ(found("NCCL_SOCKET_IFNAME", "^docker0"), "deny nccl-env/loopback-readmitted" + kValue);
  EXPECT_EQ(found("NCCL_SOCKET_IFNAME", "^=docker0"), "deny nccl-env/loopback-readmitted" + kValue);
  EXPECT_EQ(found("NCCL_SOCKET_IFNAME", "^l,docker"), "");
  EXPECT_EQ(found("NCCL_SOCKET_IFNAME", "^=l"), "deny nccl-env/loopback-readmitted" + kValue);
  EXPECT_EQ(found("NCCL_SOCKET_IFNAME", ""), "");
  EXPECT_EQ(found("NCCL_SOCKET_IFNAME", "$(WHICH)"), "");
}

TEST(NcclInterfaces, IsLeftAloneOnOneNode) {
  const std::string lo =
      "          command: [torchrun, t.py]\n          env: [{name: NCCL_SOCKET_IFNAME, value: lo}]\n";
  EXPECT_EQ(short_of(findings_of(job(lo, "  nnodes: 1\n"))), "");
}

TEST(NcclInterfaces, WhatIsNoList) {
  for (const char* value : {"eth0, eth1", "10.0.0.5", "eth*", "eth0,=eth1", "10.0.0.0/8"})
    EXPECT_EQ(found("NCCL_SOCKET_IFNAME", value), "warn nccl-env/interface-list" + kValue) << value;
  for (const char* value : {"eth", "=eth0,eth1", "eth0:1,eth1", "bond0.2093", "^lo,docker,veth"})
    EXPECT_EQ(found("NCCL_SOCKET_IFNAME", value), "") << value;
}

TEST(GlooInterfaces, AreWholeNames) {
  for (const char* value : {"^lo", "=eth0", "eth", "eth0, eth1", "lo"})
    EXPECT_EQ(found("GLOO_SOCKET_IFNAME", value), "warn nccl-env/gloo-interface" + kValue) << value;
  for (const char* value : {"eth0", "eth0,eth1", "ib0", "bond0", "enp6s0"})
    EXPECT_EQ(found("GLOO_SOCKET_IFNAME", value), "") << value;
}

TEST(NcclValues, NumbersAndWords) {
  EXPECT_EQ(found("NCCL_NVLS_ENABLE", "on"), "warn nccl-env/word-for-number" + kValue);
  for (const char* value : {"0", "1", "0x10", "-1", "false", "no", ""})
    EXPECT_EQ(found("NCCL_NVLS_ENABLE", value), "") << value;
  EXPECT_EQ(found("NCCL_NET_GDR_LEVEL", "sys"), "warn nccl-env/value-not-known" + kValue);
  EXPECT_EQ(found("NCCL_NET_GDR_LEVEL", "SYSTEM"), "warn nccl-env/value-not-known" + kValue);
  EXPECT_EQ(found("NCCL_NET_GDR_LEVEL", "5"), "");
  EXPECT_EQ(found("NCCL_ALGO", "auto"), "warn nccl-env/value-not-known" + kValue);
  for (const char* value : {"ring,tree", "^NVLS", "allreduce:tree,ring;broadcast:^ring", "CollNet"})
    EXPECT_EQ(found("NCCL_ALGO", value), "") << value;
  EXPECT_EQ(found("NCCL_DEBUG", "debug"), "warn nccl-env/value-not-known" + kValue);
  EXPECT_EQ(found("NCCL_DEBUG", "info"), "info nccl-env/debug-left-on" + kValue);
  for (const char* name : {"NCCL_DEBUG", "NCCL_ALGO", "NCCL_NVLS_ENABLE", "GLOO_SOCKET_IFNAME"})
    EXPECT_EQ(found(name, "${" + std::string(name) + "}"), "") << name;  // of a template
}

TEST(NcclSwitches, MatterWhereTheyWouldBeUsed) {
  EXPECT_EQ(found("NCCL_P2P_DISABLE", "1"), "warn nccl-env/left-over" + kValue);
  EXPECT_EQ(found("NCCL_SHM_DISABLE", "1"), "warn nccl-env/left-over" + kValue);
  EXPECT_EQ(found("NCCL_P2P_DISABLE", "0"), "");
  const std::string one_gpu =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: llama}\nspec:\n  containers:\n    - name: c\n      image: t:1\n"
      "      command: [python, t.py]\n      env: [{name: NCCL_P2P_DISABLE, value: '1'}, {name: NCCL_IB_DISABLE, value: "
      "'1'}]\n"
      "      resources: {limits: {nvidia.com/gpu: 1}}\n";
  EXPECT_EQ(short_of(findings_of(one_gpu)), "");
}

}  // namespace
}  // namespace rollcall::launch
