// `rollcall-probe-child gpu` against the doubles: what each fault of a node looks like in the facts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "child/support/child.h"

namespace rollcall::child::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Run gpu_with(const std::string& scenario, std::map<std::string, std::string> more = {}) {
  const Doubles doubles(scenario);
  auto environment = doubles.environment();
  environment.merge(more);
  return run({child_program(), "gpu"}, environment);
}

TEST(Gpu, AHealthyNodeOfEightIsReadWhole) {
  const auto run = gpu_with("gpus = 8\n");
  EXPECT_EQ(run.code, 0) << run.output;
  const auto& facts = run.gpu();
  EXPECT_TRUE(facts.simulated);
  EXPECT_TRUE(facts.library);
  EXPECT_THAT(facts.library_path, HasSubstr("libcuda.so.1"));
  EXPECT_EQ(facts.cuda_result, 0);
  EXPECT_EQ(facts.cuda_version, 12040);
  EXPECT_EQ(facts.driver, "550.54.15");
  EXPECT_EQ(facts.nvml_result, 0);
  EXPECT_EQ(facts.error, "");
  EXPECT_FALSE(facts.shared);
  ASSERT_EQ(facts.gpus.size(), 8U);
  std::set<std::string> uuids;
  for (const auto& gpu : facts.gpus) {
    EXPECT_THAT(gpu.uuid, StartsWith("GPU-"));
    EXPECT_EQ(gpu.uuid.size(), 40U);
    uuids.insert(gpu.uuid);
    EXPECT_EQ(gpu.name, "NVIDIA H100 80GB HBM3");
    EXPECT_EQ(gpu.compute_major, 9);
    EXPECT_FALSE(gpu.mig);
    EXPECT_GT(gpu.memory_bytes, std::int64_t{79} << 30);
    EXPECT_GE(gpu.memory_used_bytes, 0);
    EXPECT_EQ(gpu.ecc_uncorrected, 0);
    EXPECT_EQ(gpu.remap_pending, 0);
    EXPECT_EQ(gpu.remap_failed, 0);
    EXPECT_EQ(gpu.nvlink_links, 18);
    EXPECT_EQ(gpu.nvlink_active, 18);
    EXPECT_EQ(gpu.fabric, "completed");
    EXPECT_EQ(gpu.throttle, 0U);
    EXPECT_EQ(gpu.error, "");
  }
  EXPECT_EQ(uuids.size(), 8U);
  EXPECT_THAT(run.steps(), Not(Contains(HasSubstr("two samples"))))
      << "a healthy node must not wait for a second sample";
}

struct InitCase {
  int result;
  const char* name;
};
class GpuInit : public ::testing::TestWithParam<InitCase> {};

TEST_P(GpuInit, AFailureIsNamed) {
  const auto run = gpu_with("cuda_init = " + std::to_string(GetParam().result) + "\n");
  EXPECT_EQ(run.code, 1);
  const auto& facts = run.gpu();
  EXPECT_EQ(facts.cuda_result, GetParam().result);
  EXPECT_EQ(facts.cuda_name, GetParam().name);
  EXPECT_THAT(facts.error, StartsWith(std::string("cuInit: ") + GetParam().name));
  EXPECT_TRUE(facts.gpus.empty());
  EXPECT_EQ(facts.nvml_result, 0) << "NVML is asked all the same: the two together name the cause";
}

INSTANTIATE_TEST_SUITE_P(Results, GpuInit,
                         ::testing::Values(InitCase{34, "CUDA_ERROR_STUB_LIBRARY"},
                                           InitCase{100, "CUDA_ERROR_NO_DEVICE"},
                                           InitCase{802, "CUDA_ERROR_SYSTEM_NOT_READY"},
                                           InitCase{803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
                                           InitCase{804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"}),
                         [](const auto& test) { return "CudaError" + std::to_string(test.param.result); });

TEST(Gpu, NvmlThatDoesNotMatchTheKernelIsNamed) {
  const auto run = gpu_with("nvml_init = 18\n");
  EXPECT_EQ(run.code, 0) << "CUDA works";
  EXPECT_EQ(run.gpu().nvml_result, 18);
  EXPECT_EQ(run.gpu().nvml_name, "LIB_RM_VERSION_MISMATCH");
  EXPECT_EQ(run.gpu().gpus.size(), 8U);
}

TEST(Gpu, ThePendingRemapIsThatOfItsGpu) {
  const auto run = gpu_with("[node gpu-17 gpu 3]\nremap_pending = 1\necc_uncorrected = 2\n");
  const auto& gpus = run.gpu().gpus;
  ASSERT_EQ(gpus.size(), 8U);
  for (const auto& gpu : gpus) {
    EXPECT_EQ(gpu.remap_pending, gpu.index == 3 ? 1 : 0) << gpu.index;
    EXPECT_EQ(gpu.ecc_uncorrected, gpu.index == 3 ? 2 : 0) << gpu.index;
  }
}

TEST(Gpu, ALostGpuSaysSoOnceAndTheOthersAreRead) {
  const auto run = gpu_with("[gpu 5]\nnvml_gpu = 15\n");
  const auto& gpus = run.gpu().gpus;
  ASSERT_EQ(gpus.size(), 8U);
  EXPECT_THAT(gpus[5].error, HasSubstr("GPU_IS_LOST"));
  EXPECT_EQ(gpus[5].error.find("GPU_IS_LOST"), gpus[5].error.rfind("GPU_IS_LOST")) << gpus[5].error;
  EXPECT_EQ(gpus[4].error, "");
  EXPECT_EQ(gpus[6].remap_pending, 0);
}

TEST(Gpu, ThrottlingIsToldWhenItStandsInBothSamples) {
  const auto run = gpu_with("[gpu 2]\nthrottle = 0x41\n");
  const auto& gpus = run.gpu().gpus;
  ASSERT_EQ(gpus.size(), 8U);
  EXPECT_EQ(gpus[2].throttle, 0x41U);
  EXPECT_EQ(gpus[1].throttle, 0U);
  EXPECT_THAT(run.steps(), Contains(HasSubstr("two samples")));
}

TEST(Gpu, AFabricThatIsNotReadyAndADegradedOneAreTold) {
  EXPECT_EQ(gpu_with("fabric = in progress\n").gpu().gpus.at(0).fabric, "in progress");
  EXPECT_EQ(gpu_with("fabric_health = 1\n").gpu().gpus.at(0).fabric, "unhealthy: degraded bandwidth");
  EXPECT_EQ(gpu_with("fabric_health = 0xaa\n").gpu().gpus.at(0).fabric, "completed") << "each field says: false";
  EXPECT_EQ(gpu_with("fabric = not supported\n").gpu().gpus.at(0).fabric, "not supported");
}

TEST(Gpu, AMigSliceHasItsOwnUuid) {
  const auto run = gpu_with("mig = yes\n");
  ASSERT_FALSE(run.gpu().gpus.empty());
  EXPECT_TRUE(run.gpu().gpus[0].mig);
  EXPECT_THAT(run.gpu().gpus[0].uuid, StartsWith("MIG-"));
}

TEST(Gpu, NoLinksAreNoLinks) {
  const auto run = gpu_with("nvlink_links = 0\n");
  ASSERT_FALSE(run.gpu().gpus.empty());
  EXPECT_EQ(run.gpu().gpus[0].nvlink_links, -1);
}

TEST(Gpu, MpsAndReplicasAreShared) {
  EXPECT_TRUE(gpu_with("", {{"CUDA_MPS_PIPE_DIRECTORY", "/mps/pipe"}}).gpu().shared);
  EXPECT_TRUE(gpu_with("", {{"NVIDIA_VISIBLE_DEVICES", "GPU-01234567-89ab-cdef-0123-456789abcdef::3"}}).gpu().shared);
}

TEST(Gpu, AProcessThatDiesInsideTheDriverLeavesItsLastStep) {
  const auto run = gpu_with("die = cuInit\n");
  EXPECT_EQ(run.code, 128 + 11) << run.output;
  ASSERT_FALSE(run.steps().empty());
  EXPECT_EQ(run.steps().back(), "cuInit");
}

TEST(Gpu, WithoutCudaTheLoaderIsQuoted) {
  const auto run = testing::run({child_program(), "gpu"}, {});
  EXPECT_EQ(run.code, 1);
  EXPECT_FALSE(run.gpu().library);
  EXPECT_EQ(run.gpu().cuda_result, -1);
  EXPECT_THAT(run.gpu().error, HasSubstr("libcuda.so.1: cannot open shared object file"));
}

TEST(Gpu, ItTakesNoArgument) {
  const auto run = testing::run({child_program(), "gpu", "--all"}, {});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.output, HasSubstr("--all"));
}

}  // namespace
}  // namespace rollcall::child::testing
