#include <gtest/gtest.h>

#include "child/driver/nccl.h"
#include "child/gpu/gpu.h"

namespace rollcall::child {
namespace {

TEST(Texts, AUuidIsWrittenAsNvidiaSmiDoes) {
  CUuuid uuid{};
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) uuid.bytes[i] = static_cast<char>(0xf0 + i);
  EXPECT_EQ(uuid_text("GPU", uuid), "GPU-f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff");
}

TEST(Texts, TheKernelModulesVersionIsFound) {
  EXPECT_EQ(
      kernel_module_version("NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024\n"
                            "GCC version:  gcc version 12.2.0\n"),
      "550.54.15");
  EXPECT_EQ(
      kernel_module_version("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build\n"),
      "570.86.15");
  EXPECT_EQ(kernel_module_version("GCC version: none\n"), "");
  EXPECT_EQ(kernel_module_version(""), "");
}

TEST(Texts, NcclVersionCodes) {
  EXPECT_EQ(nccl_version_text(22705), "2.27.5");
  EXPECT_EQ(nccl_version_text(20900), "2.9.0");
  EXPECT_EQ(nccl_version_text(21801), "2.18.1");
  EXPECT_EQ(nccl_version_text(2804), "2.8.4");
  EXPECT_EQ(nccl_version_text(2708), "2.7.8");
}

TEST(Texts, NcclResultNames) {
  EXPECT_EQ(nccl_result_name(0), "ncclSuccess");
  EXPECT_EQ(nccl_result_name(8), "ncclTimeout");
  EXPECT_EQ(nccl_result_name(9), "ncclResult_t 9");
  EXPECT_EQ(nccl_result_name(-1), "ncclResult_t -1");
}

}  // namespace
}  // namespace rollcall::child
