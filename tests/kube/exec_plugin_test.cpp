// Credentials that a program hands out: how it is run, what it is told, and what each thing that goes wrong says.
#include "kube/exec_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kube/base64.h"
#include "kube/credentials.h"
#include "kube/kubeconfig.h"

namespace rollcall::kube {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr auto kV1 = "client.authentication.k8s.io/v1";

std::string credential(const std::string& status, const std::string& version = kV1) {
  return R"({"kind": "ExecCredential", "apiVersion": ")" + version + R"(", "status": )" + status + "}";
}

class Plugin : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/rollcall-exec-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    dir_ = name;
  }
  void TearDown() override { fs::remove_all(dir_); }

  /// A program of this text, by its path.
  ExecPlugin plugin(const std::string& script) const {
    const fs::path file = dir_ / "plug in.sh";
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(file, fs::perms::owner_all);
    ExecPlugin out;
    out.api_version = kV1;
    out.command = file.string();
    return out;
  }
  static std::string error_of(const ExecPlugin& plugin, std::chrono::milliseconds deadline = 30s) {
    const auto result = run_exec_plugin(plugin, deadline);
    return result.ok() ? "" : result.error().message;
  }

  fs::path dir_;
};

TEST_F(Plugin, ItsTokenIsTaken) {
  ExecPlugin token = plugin("printf '%s' '" + credential(R"({"token": "t"})") + "'");
  const auto result = run_exec_plugin(token);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->token, "t");
}

TEST_F(Plugin, ArgumentsReachItAsTheyAreAndNoShellReadsThem) {
  ExecPlugin echo = plugin(R"(printf '{"kind": "ExecCredential", "apiVersion": ")" + std::string(kV1) +
                           R"(", "status": {"token": "%s|%s"}}' "$1" "$2")");
  echo.args = {"$(touch made);x", "*"};
  const auto result = run_exec_plugin(echo);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->token, "$(touch made);x|*");
}

TEST_F(Plugin, IsToldWhatItNeeds) {
  ExecPlugin told = plugin("printf '%s' \"$KUBERNETES_EXEC_INFO\" > '" + (dir_ / "info").string() +
                           "'\nprintf '%s' \"$PROFILE\" > '" + (dir_ / "profile").string() + "'\nprintf '%s' '" +
                           credential(R"({"token": "t"})") + "'");
  told.env = {{"PROFILE", "gpu team"}};
  told.interactive_mode = "Never";
  told.cluster = nlohmann::json::object({{"server", "https://k:6443"}});
  ASSERT_TRUE(run_exec_plugin(told).ok());
  std::ifstream info(dir_ / "info");
  EXPECT_EQ(nlohmann::json::parse(info),
            nlohmann::json::parse(R"({"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1",
                                      "spec": {"interactive": false, "cluster": {"server": "https://k:6443"}}})"));
  std::string profile;
  std::getline(std::ifstream(dir_ / "profile"), profile);
  EXPECT_EQ(profile, "gpu team");
}

TEST_F(Plugin, WhatGoesWrongSaysWhatToRun) {
  ExecPlugin failing = plugin("exit 3");
  failing.args = {"get-token", "a b"};
  EXPECT_EQ(error_of(failing), "the user's credentials come from the program `" + failing.command +
                                   "`: it ended with exit code 3. Run it yourself to see more: '" + failing.command +
                                   "' get-token 'a b'");
  EXPECT_THAT(error_of(plugin("kill -9 $$")), HasSubstr("it was ended by signal 9"));
  EXPECT_THAT(error_of(plugin("echo hello")), HasSubstr("it printed no JSON object"));
  EXPECT_THAT(error_of(plugin("head -c 2000000 /dev/zero")), HasSubstr("it printed more than 1 MiB"));
  ExecPlugin missing;
  missing.command = "no-such-program-of-rollcall";
  missing.install_hint = "Install it from the cloud's page.";
  EXPECT_THAT(error_of(missing), HasSubstr("there is no such program. Install it from the cloud's page."));
}

TEST_F(Plugin, IsKilledAtItsDeadlineWithWhatItStarted) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(error_of(plugin("sleep 600 & sleep 600"), 200ms), HasSubstr("it did not end within"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
}

TEST_F(Plugin, NobodyWaitsForWhatItLeavesRunning) {
  const auto start = std::chrono::steady_clock::now();
  const auto result =
      run_exec_plugin(plugin("printf '%s' '" + credential(R"({"token": "t"})") + "'\nsleep 30 2>/dev/null &"), 25s);
  EXPECT_TRUE(result.ok());
  EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
}

TEST(ExecCredential, IsReadAsTheApiSays) {
  const WallTime now = *rfc3339_from("2026-11-30T12:00:00Z");
  const auto read = [&](const std::string& output) { return exec_credential_from(output, kV1, now); };
  const auto good = read(credential(
      R"({"clientCertificateData": "C", "clientKeyData": "K", "expirationTimestamp": "2026-11-30T12:15:00Z"})"));
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good->certificate_pem, "C");
  EXPECT_EQ(good->expires, rfc3339_from("2026-11-30T12:15:00Z"));
  const auto wrong = [&](const std::string& output) { return read(output).error().message; };
  EXPECT_THAT(wrong(credential(R"({"token": "t", "expirationTimestamp": "2026-11-30T12:00:00Z"})")),
              HasSubstr("expired at"));
  EXPECT_THAT(wrong(credential(R"({"token": "t", "expirationTimestamp": "soon"})")), HasSubstr("is no time"));
  EXPECT_THAT(wrong(credential(R"({"clientKeyData": "K"})")), HasSubstr("belong together"));
  EXPECT_THAT(wrong(credential("{}")), HasSubstr("neither a token nor"));
  EXPECT_THAT(wrong(credential(R"({"token": "a\nb"})")), HasSubstr("line's end"));
  EXPECT_THAT(wrong(credential(R"({"token": "t"})", "client.authentication.k8s.io/v1beta1")),
              HasSubstr("the kubeconfig says"));
  EXPECT_THAT(wrong(R"({"kind": "Pod"})"), HasSubstr("the kind `Pod`"));
}

TEST_F(Plugin, OfAKubeconfigIsRunForACommandAndRefusedForWhatRunsOn) {
  const ExecPlugin at = plugin("printf '%s' \"$KUBERNETES_EXEC_INFO\" > '" + (dir_ / "info").string() +
                               "'\nprintf '%s' '" + credential(R"({"token": "from-program"})") + "'");
  const std::string config = (dir_ / "config").string();
  std::ofstream(config)
      << "current-context: c\n"
         "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
         "clusters:\n- name: k\n  cluster:\n    server: https://k:6443\n    certificate-authority-data: "
      << base64_encode("CA")
      << "\n    extensions:\n    - {name: client.authentication.k8s.io/exec, extension: {audience: a, n: 1, "
         "s: \"1\"}}\n"
         "users:\n- name: u\n  user:\n    exec:\n      apiVersion: client.authentication.k8s.io/v1\n"
         "      command: './plug in.sh'\n      interactiveMode: Never\n      provideClusterInfo: true\n";
  const auto credentials = kubeconfig_credentials(config);
  ASSERT_TRUE(credentials.ok()) << credentials.error().message;
  EXPECT_EQ(credentials->token, "from-program");
  std::ifstream info(dir_ / "info");
  EXPECT_EQ(nlohmann::json::parse(info)["spec"]["cluster"],
            nlohmann::json::parse(R"({"server": "https://k:6443", "certificate-authority-data": "Q0E=",
                                      "config": {"audience": "a", "n": 1, "s": "1"}})"));
  const auto program = program_credentials(config);
  ASSERT_FALSE(program.ok());
  EXPECT_THAT(program.error().message, HasSubstr("would expire while this one runs"));
}

}  // namespace
}  // namespace rollcall::kube
