// The program in images that have nothing: it must start where no shell, no C library and no writable file is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "probe/net/listen.h"
#include "probe/support/scripted_desk.h"

namespace rollcall::probe::testing {
namespace {

using ::testing::HasSubstr;

/// Why the program cannot be run in an empty root here; empty when it can.
std::string unavailable() {
  if (::geteuid() != 0) return "chroot needs root";
  if (!std::filesystem::exists("/usr/sbin/chroot")) return "no chroot program (package coreutils)";
  Process dynamic({"/bin/sh", "-c", "! ldd " + probe_program() + " >/dev/null 2>&1"}, {{"PATH", "/usr/bin:/bin"}});
  if (dynamic.wait(std::chrono::seconds(10)) != 0) return "this build of the program is dynamic, as sanitizers need it";
  return "";
}

TEST(EmptyImage, TheProbeIsLedAndReleasedAsAnyUserUnderAnyPreload) {
  if (const auto why = unavailable(); !why.empty()) GTEST_SKIP() << why;
  ScriptedDesk desk(1, 29'499);
  const TemporaryDirectory root;
  std::filesystem::permissions(root.path(), std::filesystem::perms(0755));
  std::filesystem::copy_file(probe_program(), root.path() + "/rollcall-probe");
  root.write("token", "token-of-uid-0");
  root.write("annotations", annotations_file(1, "127.0.0.1"));
  auto environment = desk.environment(0);
  environment["LD_PRELOAD"] = "/usr/lib/libjemalloc.so.2";
  environment["OPENSSL_CONF"] = "/token";  // not a configuration
  environment["SSL_CERT_FILE"] = "/token";
  environment["http_proxy"] = environment["https_proxy"] = environment["HTTPS_PROXY"] = "http://127.0.0.1:1";
  Process probe({"/usr/sbin/chroot", "--userspec=65532:65532", root.path(), "/rollcall-probe", "answer",
                 "--token-file=/token", "--annotations-file=/annotations", "--termination-log=/termination-log"},
                environment);
  EXPECT_EQ(probe.wait(std::chrono::seconds(20)), 0) << probe.output();
  EXPECT_THAT(probe.output(), HasSubstr("released, attempt 1"));
}

TEST(EmptyImage, AReasonThatCannotBeWrittenStandsInTheLog) {
  if (const auto why = unavailable(); !why.empty()) GTEST_SKIP() << why;
  ScriptedDesk desk(1, 29'499);
  roll_call::Instruction end;
  end.step = roll_call::Step::End;
  end.message = "the job was deleted";
  desk.tell(end);
  const TemporaryDirectory root;
  std::filesystem::permissions(root.path(), std::filesystem::perms(0755));
  std::filesystem::copy_file(probe_program(), root.path() + "/rollcall-probe");
  root.write("token", "token-of-uid-0");
  Process probe(
      {"/usr/sbin/chroot", "--userspec=65532:65532", root.path(), "/rollcall-probe", "answer", "--token-file=/token"},
      desk.environment(0));
  EXPECT_EQ(probe.wait(std::chrono::seconds(20)), 1);
  EXPECT_THAT(probe.output(), HasSubstr("ended: the job was deleted"));
  EXPECT_THAT(probe.output(), HasSubstr("the reason stands only here"));
}

}  // namespace
}  // namespace rollcall::probe::testing
