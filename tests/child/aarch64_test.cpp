// Both programs as built for aarch64, run by qemu's user mode: they start, and say what they find.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "child/support/child.h"

namespace rollcall::child::testing {
namespace {

using ::testing::HasSubstr;

constexpr auto kQemu = "/usr/bin/qemu-aarch64-static";
constexpr auto kLibc = "/usr/aarch64-linux-gnu";  // of the cross compiler
const std::string kPrograms = ROLLCALL_SOURCE_DIR "/build/aarch64/bin";

std::string unavailable() {
  if (!std::filesystem::exists(kPrograms + "/rollcall-probe-child"))
    return "not built for aarch64: dev/deps --aarch64 && cmake --preset aarch64 && cmake --build --preset aarch64";
  if (!std::filesystem::exists(kQemu)) return "no qemu-aarch64-static (dev/deps --aarch64)";
  return "";
}

TEST(Aarch64, TheProbeIsStaticAndSpeaks) {
  if (const auto why = unavailable(); !why.empty()) GTEST_SKIP() << why;
  // Without -L there is no C library of that architecture to be found: it must not need one.
  const auto run = testing::run({kQemu, kPrograms + "/rollcall-probe", "facts"}, {{"RANK", "3"}});
  EXPECT_EQ(run.code, 0) << run.output;
  // It cannot start itself again under qemu, so the facts themselves, which a child reads, stay empty.
  EXPECT_THAT(run.output, HasSubstr("\"facts\":{\"architecture\":"));
}

TEST(Aarch64, TheChildLoadsAndSaysThatThereIsNoCuda) {
  if (const auto why = unavailable(); !why.empty()) GTEST_SKIP() << why;
  const auto run = testing::run({kQemu, "-L", kLibc, kPrograms + "/rollcall-probe-child", "gpu"}, {});
  EXPECT_EQ(run.code, 1) << run.output;
  EXPECT_FALSE(run.gpu().library);
  EXPECT_THAT(run.gpu().error, HasSubstr("libcuda.so.1: cannot open shared object file"));
}

}  // namespace
}  // namespace rollcall::child::testing
