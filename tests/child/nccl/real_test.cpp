// `rollcall-probe-child nccl` with NVIDIA's own libraries, as PyPI has them, in network namespaces: the interface that
// this very NCCL would choose. No GPU is needed for any of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "child/driver/nccl.h"
#include "child/support/child.h"
#include "probe/support/process.h"

namespace rollcall::child::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Release {
  const char* version;
  int code;  ///< of ncclGetVersion
};
constexpr Release kReleases[] = {{"2.18.1", 21801}, {"2.21.5", 22105}, {"2.27.5", 22705}, {"2.32.3", 23203}};

std::string library_of(const Release& release) {
  return std::string(ROLLCALL_CACHE) + "/nccl/" + release.version + "/nvidia/nccl/lib/libnccl.so.2";
}

std::string absent(const Release& release) {
  if (std::filesystem::exists(library_of(release))) return "";
  return std::string("NCCL ") + release.version + " is not here; dev/deps --nccl-all brings it";
}

std::string name_of(const Release& release) {
  std::string name = std::string("Nccl") + release.version;
  for (char& c : name)
    if (c == '.') c = '_';
  return name;
}

/// In a network namespace of its own. `link NAME ADDRESS…` makes an interface that is up and running.
Run nccl_in(const Release& release, const std::string& setup, std::map<std::string, std::string> environment) {
  // A veth whose other end has no address; a plain `dummy` is not in every kernel.
  static const std::string kLink = R"(
    set -e
    link() {
      name=$1; shift
      ip link add "$name" type veth peer name "p$name"
      echo 1 > "/proc/sys/net/ipv6/conf/p$name/disable_ipv6"
      ip link set "$name" addrgenmode none
      ip link set "p$name" up
      ip link set "$name" up
      for address in "$@"; do
        case $address in *:*) ip addr add "$address" dev "$name" nodad ;; *) ip addr add "$address" dev "$name" ;; esac
      done
    }
    ip link set lo up
  )";
  environment["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin";
  return run({"/usr/bin/unshare", "-n", "/bin/sh", "-c", kLink + setup + "\nexec \"$@\"", "sh", child_program(), "nccl",
              "--library", library_of(release)},
             environment);
}

std::string no_namespaces() {
  if (::geteuid() != 0) return "making network namespaces needs root";
  probe::testing::Process unshare({"/usr/bin/unshare", "-n", "/bin/true"}, {});
  return unshare.wait(std::chrono::seconds(10)) == 0 ? "" : "`unshare -n` is not permitted here";
}

struct Case {
  const char* name;
  const char* setup;
  std::map<std::string, std::string> environment;
  const char* interface;
  const char* address;
};

const Case kCases[] = {
    {"OneInterface", "link eth0 10.0.0.7/24", {}, "eth0", "10.0.0.7"},
    {"LoopbackWithoutAWarning", "link eth0 10.0.0.7/24", {{"NCCL_SOCKET_IFNAME", "lo"}}, "lo", "127.0.0.1"},
    {"ExactName",
     "link eth0 10.0.0.7/24; link eth01 10.0.1.7/24",
     {{"NCCL_SOCKET_IFNAME", "=eth01"}},
     "eth01",
     "10.0.1.7"},
    {"AnExclusionReplacesTheDefaultOne", "link eth0 10.0.0.7/24", {{"NCCL_SOCKET_IFNAME", "^eth"}}, "lo", "127.0.0.1"},
    {"Ipv6", "link eth0 10.0.0.7/24 fd00::7/64", {{"NCCL_SOCKET_FAMILY", "AF_INET6"}}, "eth0", "fd00::7"},
    {"LinkLocalIsTaken", "link eth0 10.0.0.7/24 fe80::7/64", {{"NCCL_SOCKET_FAMILY", "AF_INET6"}}, "eth0", "fe80::7"},
    {"DockerIsPassedOver", "link docker0 172.17.0.1/16; link eth0 10.0.0.7/24", {}, "eth0", "10.0.0.7"},
    {"CniIsNot", "link cni0 10.244.0.1/24; link eth0 10.0.0.7/24", {}, "cni0", "10.244.0.1"},
    {"NorMultus", "link net1 10.9.0.7/24; link eth0 10.0.0.7/24", {}, "net1", "10.9.0.7"},
    {"WhatBeginsWithIbComesFirst", "link eth0 10.0.0.7/24; link ibridge0 10.9.0.7/24", {}, "ibridge0", "10.9.0.7"},
    {"AForeignAddressOfThisSubnet", "link eth0 10.0.0.7/24", {{"NCCL_COMM_ID", "10.0.0.99:4000"}}, "", "10.0.0.99"},
};

class Interface : public ::testing::TestWithParam<std::tuple<Release, Case>> {};

TEST_P(Interface, IsWhatThisNcclChooses) {
  const auto& [release, test] = GetParam();
  if (const auto why = absent(release); !why.empty()) GTEST_SKIP() << why;
  if (const auto why = no_namespaces(); !why.empty()) GTEST_SKIP() << why;
  const auto run = nccl_in(release, test.setup, test.environment);
  EXPECT_EQ(run.code, 0) << run.output;
  const auto& facts = run.nccl();
  EXPECT_EQ(facts.version, release.version);
  EXPECT_EQ(facts.path, library_of(release));
  EXPECT_FALSE(facts.simulated);
  EXPECT_EQ(facts.source, "job");
  EXPECT_EQ(facts.interface_result, 0);
  EXPECT_EQ(facts.interface_name, test.interface) << run.output;
  EXPECT_EQ(facts.interface_address, test.address) << run.output;
  EXPECT_EQ(facts.interface_forced, test.environment.count("NCCL_COMM_ID") != 0);
  EXPECT_EQ(facts.interface_error, "");
  EXPECT_EQ(facts.error, "");
}

INSTANTIATE_TEST_SUITE_P(Real, Interface,
                         ::testing::Combine(::testing::ValuesIn(kReleases), ::testing::ValuesIn(kCases)),
                         [](const auto& test) {
                           return name_of(std::get<0>(test.param)) + "_" + std::get<1>(test.param).name;
                         });

class RealNccl : public ::testing::TestWithParam<Release> {
 protected:
  void SetUp() override {
    if (const auto why = absent(GetParam()); !why.empty()) GTEST_SKIP() << why;
    if (const auto why = no_namespaces(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_P(RealNccl, ANameThatNoInterfaceHasIsQuoted) {
  const auto run = nccl_in(GetParam(), "link eth0 10.0.0.7/24", {{"NCCL_SOCKET_IFNAME", "ens5"}});
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.nccl().interface_result, GetParam().code < 22700 ? ncclInternalError : ncclInvalidUsage);
  EXPECT_THAT(run.nccl().interface_error, HasSubstr("Bootstrap : no socket interface found"));
  EXPECT_EQ(run.nccl().interface_address, "");
}

TEST_P(RealNccl, AnIdOfAnotherSubnetIsQuoted) {
  const auto run = nccl_in(GetParam(), "link eth0 10.0.0.7/24", {{"NCCL_COMM_ID", "192.168.9.9:4000"}});
  EXPECT_EQ(run.code, 1);
  EXPECT_TRUE(run.nccl().interface_forced);
  EXPECT_EQ(run.nccl().interface_result, ncclSystemError);
  EXPECT_THAT(run.nccl().interface_error,
              ::testing::AnyOf(HasSubstr("No usable listening interface found"),
                               HasSubstr("No interface found in the same subnet as remote address 192.168.9.9")));
}

TEST_P(RealNccl, VirbrIsPassedOverSince2_28) {
  const auto run = nccl_in(GetParam(), "link virbr0 192.168.122.1/24; link eth0 10.0.0.7/24", {});
  EXPECT_EQ(run.nccl().interface_name, GetParam().code < 22800 ? "virbr0" : "eth0");
}

TEST_P(RealNccl, NothingOfTheUsersLogFileIsTouched) {
  const probe::testing::TemporaryDirectory directory;
  const auto file = directory.path() + "/nccl.log";
  const auto run = nccl_in(GetParam(), "link eth0 10.0.0.7/24", {{"NCCL_DEBUG", "INFO"}, {"NCCL_DEBUG_FILE", file}});
  EXPECT_EQ(run.code, 0) << run.output;
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_P(RealNccl, WithoutADriverTheCommunicatorFailsAndSaysWhy) {
  // In a process of its own: the library leaves threads behind.
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    setenv("NCCL_RAS_ENABLE", "0", 1);
    const auto nccl = Nccl::load(library_of(GetParam()));
    if (!nccl || nccl->version != GetParam().code || nccl->comm_init_rank_config == nullptr) _exit(10);
    ncclUniqueId id{};
    if (nccl->get_unique_id(&id) != ncclSuccess) _exit(11);
    NcclConfig config;
    ncclComm_t comm = nullptr;
    const auto result = nccl->comm_init_rank_config(&comm, 1, id, 0, &config);
    if (result != ncclUnhandledCudaError) _exit(12);
    if (comm != nullptr) _exit(13);
    const auto words = nccl->words_for(result);
    if (words.find("ncclUnhandledCudaError: ") != 0) _exit(14);
    if (words.find("CUDA driver version is insufficient for CUDA runtime version") == std::string::npos) _exit(15);
    _exit(0);
  }
  ASSERT_GT(pid, 0);
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

INSTANTIATE_TEST_SUITE_P(Real, RealNccl, ::testing::ValuesIn(kReleases),
                         [](const auto& test) { return name_of(test.param); });

TEST(Nccl, ALibraryThatIsNotThereIsTheLoadersError) {
  const auto run =
      testing::run({child_program(), "nccl", "--library", "/opt/none/libnccl.so.2", "--source", "bundled"}, {});
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.nccl().source, "bundled");
  EXPECT_EQ(run.nccl().interface_result, -1);
  EXPECT_THAT(run.nccl().error, HasSubstr("/opt/none/libnccl.so.2: cannot open shared object file"));
}

TEST(Nccl, ALibraryThatIsNotNcclIsNamedWithWhatItLacks) {
  const auto run = testing::run({child_program(), "nccl", "--library", ROLLCALL_DOUBLES_DIR "/libcuda.so.1"}, {});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.nccl().error, HasSubstr("it lacks ncclGetVersion"));
}

TEST(Nccl, TheDoubleIsMarkedSimulated) {
  const Doubles doubles("nccl_version = 22105\n");
  const auto run =
      testing::run({child_program(), "nccl", "--library", ROLLCALL_DOUBLES_DIR "/libnccl.so.2"}, doubles.environment());
  EXPECT_TRUE(run.nccl().simulated);
  EXPECT_EQ(run.nccl().version, "2.21.5");
}

TEST(Nccl, LimitsAreReadWithoutALibraryToo) {
  const auto run = testing::run({child_program(), "nccl"}, {});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.nccl().error, StartsWith("no libnccl.so.2"));
  EXPECT_NE(run.nccl().memlock_bytes, 0);
}

TEST(Nccl, AnUnknownArgumentIsNamed) {
  const auto run = testing::run({child_program(), "nccl", "--source", "elsewhere"}, {});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.output, HasSubstr("--source elsewhere"));
}

}  // namespace
}  // namespace rollcall::child::testing
