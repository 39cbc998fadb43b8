// The program must load in any image whose C library is glibc 2.17 (CentOS 7) or later, and need nothing else of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "child/support/child.h"
#include "probe/support/process.h"

namespace rollcall::child {
namespace {

using probe::testing::Process;

/// Of the program for this machine, and for aarch64 when it is built.
std::vector<std::string> programs() {
  std::vector<std::string> all{ROLLCALL_BIN_DIR "/rollcall-probe-child"};
  const std::string aarch64 = ROLLCALL_SOURCE_DIR "/build/aarch64/bin/rollcall-probe-child";
  if (std::filesystem::exists(aarch64)) all.push_back(aarch64);
  return all;
}

std::string readelf(const std::string& option, const std::string& program) {
  Process readelf({"/usr/bin/readelf", "--wide", option, program}, {{"PATH", "/usr/bin:/bin"}});
  EXPECT_EQ(readelf.wait(std::chrono::seconds(30)), 0) << readelf.output();
  return readelf.output();
}

std::set<std::string> all_of(const std::string& text, const std::string& expression) {
  std::set<std::string> found;
  const std::regex pattern(expression);
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) found.insert((*it)[1]);
  return found;
}

TEST(Binary, NeedsNoSymbolOfAGlibcAbove217) {
  for (const auto& program : programs()) {
    const auto versions = all_of(readelf("--version-info", program), R"(GLIBC_2\.(\d+))");
    EXPECT_FALSE(versions.empty()) << program;
    for (const auto& minor : versions) EXPECT_LE(std::stoi(minor), 17) << "GLIBC_2." << minor << " of " << program;
  }
}

TEST(Binary, NeedsNothingButTheCLibrary) {
  for (const auto& program : programs()) {
    const auto needed = all_of(readelf("--dynamic", program), R"(\(NEEDED\).*\[(.*)\])");
    EXPECT_EQ(needed.count("libc.so.6"), 1U) << program;
    for (const auto& library : needed)
      EXPECT_THAT(library, ::testing::AnyOf("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0",
                                            "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"))
          << program;
  }
}

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A killed process that nobody has waited for still has a line in /proc.
bool runs(const std::string& pid) {
  const auto status = content("/proc/" + pid + "/status");
  return !status.empty() && status.find("State:\tZ") == std::string::npos;
}

TEST(Binary, NeitherItNorACoreFileOfItStaysBehindAKilledParent) {
  const testing::Doubles doubles("hang = cuInit\n");
  const auto script = testing::child_program() + " gpu & echo \"pid $!.\"; wait";
  auto environment = doubles.environment();
  Process parent({"/bin/sh", "-c", script}, environment);
  ASSERT_TRUE(parent.prints("\"cuInit\"", std::chrono::seconds(30))) << parent.output();
  const auto printed = parent.output();
  const auto at = printed.find("pid ") + 4;
  const auto pid = printed.substr(at, printed.find('.', at) - at);
  EXPECT_THAT(content("/proc/" + pid + "/limits"), ::testing::ContainsRegex("Max core file size +0 +0"));
  ASSERT_TRUE(runs(pid));
  parent.signal(SIGKILL);
  EXPECT_TRUE(probe::testing::eventually([&] { return !runs(pid); }));
}

TEST(Binary, CalledWronglyItSaysHowAndEndsWith2) {
  Process child({ROLLCALL_BIN_DIR "/rollcall-probe-child", "dance"}, {});
  EXPECT_EQ(child.wait(std::chrono::seconds(10)), 2);
  EXPECT_THAT(child.output(), ::testing::HasSubstr("usage: rollcall-probe-child"));
}

}  // namespace
}  // namespace rollcall::child
