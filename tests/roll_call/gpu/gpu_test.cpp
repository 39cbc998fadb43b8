#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "roll_call/world.h"

namespace rollcall::roll_call::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kNoGlibc = "this image has no glibc, so the probe's child cannot run in it";

World gpu_job(int nnodes, const std::string& resource = "nvidia.com/gpu", int gpus = 8) {
  return World(nnodes, [&](api::RollCall& r) {
    r.spec.gpus_per_pod = gpus;
    r.spec.gpu_resource = resource;
  });
}

/// The job's nodes, `change` applied to what each says of its GPUs.
struct Played {
  Played(int nnodes, const std::function<void(int, GpuFacts&)>& change,
         const std::function<void(int, LocalFacts&)>& change_facts = {}, const std::string& resource = "nvidia.com/gpu",
         int gpus = 8, const std::function<void(api::RollCall&)>& change_roll = {})
      : world(nnodes, [&](api::RollCall& r) {
          r.spec.gpus_per_pod = gpus;
          r.spec.gpu_resource = resource;
          if (change_roll) change_roll(r);
        }) {
    world.gpu = [change, gpus](int node) {
      GpuFacts facts = sound_gpus(node, gpus);
      change(node, facts);
      return facts;
    };
    world.facts = [facts = world.facts, change_facts, gpus](int node) {
      LocalFacts f = facts(node);
      f.boot_id = "boot-" + std::to_string(node);
      f.gpus_visible = gpus;
      if (change_facts) change_facts(node, f);
      return f;
    };
    world.see_all();
    world.round();
    for (const auto& each : world.status().findings) {
      if (each.rule.rfind("gpu/", 0) == 0 || each.rule.rfind("cuda/", 0) == 0 || each.rule.rfind("nvml/", 0) == 0 ||
          each.rule.rfind("probe/", 0) == 0)
        findings.push_back(each);
    }
  }

  World world;
  std::vector<api::NodeFinding> findings;
};

void no_change(int, GpuFacts&) {}

TEST(Gpu, SoundNodesPassWithWhatTheyHave) {
  Played played(3, no_change);
  EXPECT_TRUE(played.findings.empty()) << played.findings.front().message;
  EXPECT_EQ(played.world.stage_state("Gpu"), "Passed: 8 x NVIDIA H100 80GB HBM3 a node, driver 550.54.15, CUDA 12.4");
}

TEST(Gpu, ADoubleIsSaidToBeOne) {
  Played played(2, [](int, GpuFacts& f) { f.simulated = true; });
  EXPECT_THAT(played.world.stage_state("Gpu"), HasSubstr("(simulated)"));
}

struct Fault {
  const char* name;
  std::function<void(int, GpuFacts&)> change;
  const char* rule;
  const char* severity;
  const char* owner;
  const char* says;
};
void PrintTo(const Fault& each, std::ostream* out) { *out << each.name; }

class GpuFault : public ::testing::TestWithParam<Fault> {};

/// Three nodes, one of them (node rank 1) with the fault.
TEST_P(GpuFault, NamesTheNodeAndWhoMustAct) {
  Played played(3, [](int node, GpuFacts& f) {
    if (node == 1) GetParam().change(node, f);
  });
  ASSERT_EQ(played.findings.size(), 1u) << ::testing::PrintToString(played.world.stage_state("Gpu"));
  const auto& found = played.findings.front();
  EXPECT_EQ(found.rule, GetParam().rule);
  EXPECT_EQ(found.severity, GetParam().severity);
  EXPECT_EQ(found.owner, GetParam().owner);
  EXPECT_THAT(found.message, HasSubstr("gpu-2"));
  EXPECT_THAT(found.message, HasSubstr(GetParam().says));
  EXPECT_THAT(found.message, ::testing::Not(HasSubstr("gpu-1 (")));
  EXPECT_THAT(found.message, ::testing::Not(HasSubstr("gpu-3 (")));
  const bool fails = std::string(GetParam().severity) == "fail";
  EXPECT_EQ(played.world.status().stage == "Held", fails) << played.world.status().stage;
}

std::function<void(int, GpuFacts&)> cuda_error(int result, const char* name) {
  return [result, name](int, GpuFacts& f) {
    f.cuda_result = result;
    f.cuda_name = name;
    f.gpus.clear();
    f.nvml_result = -1;
  };
}

std::function<void(int, GpuFacts&)> one_gpu(const std::function<void(GpuFact&)>& change) {
  return [change](int, GpuFacts& f) { change(f.gpus[3]); };
}

INSTANTIATE_TEST_SUITE_P(
    Each, GpuFault,
    ::testing::Values(
        Fault{"FabricNotReady", cuda_error(802, "CUDA_ERROR_SYSTEM_NOT_READY"), "cuda/fabric-not-ready", "fail", "node",
              "gpu-2 (node rank 1, ranks 8-15): cuInit says CUDA_ERROR_SYSTEM_NOT_READY (802): the NVSwitch fabric is "
              "not "
              "ready. Look at nvidia-fabricmanager"},
        Fault{"DriverMismatch", cuda_error(803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"), "cuda/driver-mismatch", "fail",
              "node", "libcuda is not of the same version as the kernel's driver"},
        Fault{"ForwardCompatibility", cuda_error(804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"),
              "cuda/forward-compatibility", "fail", "node", "2 of 3 nodes are fine"},
        Fault{"NoDevice", cuda_error(100, "CUDA_ERROR_NO_DEVICE"), "cuda/no-device", "fail", "node",
              "CUDA sees no GPU in this container"},
        Fault{"AnErrorNobodyKnows", cuda_error(4711, ""), "cuda/error-4711", "fail", "node",
              "cuInit says an error (4711)"},
        Fault{"NeverEnded",
              [](int, GpuFacts& f) {
                f = GpuFacts{};
                f.stopped_in = "in cuInit for 120 s";
              },
              "gpu/no-answer", "fail", "node", "the probe's child had been in cuInit for 120 s when it was killed"},
        Fault{"StuckInTheDriver",
              [](int, GpuFacts& f) {
                f = GpuFacts{};
                f.stopped_in = "cuInit for 120 s";
                f.stuck = true;
              },
              "gpu/driver-stuck", "fail", "node", "had been in cuInit for 120 s, and SIGKILL does not end it"},
        Fault{"NoLibcuda",
              [](int, GpuFacts& f) {
                f = GpuFacts{};
                f.error = "libcuda.so.1: cannot open shared object file";
              },
              "gpu/no-libcuda", "fail", "node", "8 GPU device nodes are in the container, but libcuda.so.1 is not"},
        Fault{"SlowInit", [](int, GpuFacts& f) { f.init_seconds = 31; }, "gpu/slow-init", "warn", "node",
              "cuInit took 31 s"},
        Fault{"OneGpuMissing",
              [](int, GpuFacts& f) {
                f.gpus.pop_back();
                f.visible_devices = 7;
              },
              "gpu/not-visible", "fail", "node",
              "CUDA sees 7 of the 8 nvidia.com/gpu asked for, and CUDA_VISIBLE_DEVICES names 7"},
        Fault{"OneGpuFellOffTheBus",
              [](int, GpuFacts& f) {
                f.gpus[5].nvml_result = 15;
                f.gpus[5].error = "nvmlDeviceGetHandleByPciBusId: GPU is lost";
              },
              "nvml/gpu-lost", "fail", "node",
              "GPU 5 refused by NVML (nvmlDeviceGetHandleByPciBusId: GPU is lost): the GPU has fallen off the bus"},
        Fault{"SameGpuTwice", [](int, GpuFacts& f) { f.gpus[5].uuid = f.gpus[2].uuid; }, "gpu/duplicate", "fail",
              "node", "GPUs 2 and 5 are the same one, GPU-1-2"},
        Fault{"DriverOlderThanTorch",
              [](int, GpuFacts& f) {
                f.cuda_version = 11080;
                f.driver = "550.1";
              },
              "gpu/driver-older-than-torch", "fail", "node",
              "driver 550.1 supports CUDA 11.8, but torch in the image was built for CUDA 12.4"},
        Fault{"NewerThanTorchKnows",
              [](int, GpuFacts& f) {
                for (GpuFact& gpu : f.gpus) gpu.compute_major = 10;
              },
              "gpu/newer-than-torch", "warn", "job", "compute capability 10.0, which CUDA knows since 12.8"},
        Fault{"DriverBranch", [](int, GpuFacts& f) { f.driver = "570.86.10"; }, "gpu/driver-branch", "warn", "cluster",
              "1 of 3 nodes has NVIDIA driver branch 570: gpu-2; the other 2 have NVIDIA driver branch 550"},
        Fault{"OtherModel",
              [](int, GpuFacts& f) {
                for (GpuFact& gpu : f.gpus) gpu.name = "NVIDIA H200";
              },
              "gpu/model", "warn", "cluster", "1 of 3 nodes has NVIDIA H200: gpu-2"},
        Fault{"NvmlMismatch",
              [](int, GpuFacts& f) {
                f.nvml_result = 18;
                f.nvml_name = "LIB_RM_VERSION_MISMATCH";
              },
              "nvml/driver-mismatch", "fail", "node",
              "NVML says LIB_RM_VERSION_MISMATCH (18): libnvidia-ml is not of the same version as the kernel's driver"},
        Fault{"NvmlBlocked", [](int, GpuFacts& f) { f.nvml_result = 17; }, "nvml/blocked", "warn", "node",
              "the container lost its access"},
        Fault{"RemapPending", one_gpu([](GpuFact& gpu) { gpu.remap_pending = 1; }), "gpu/remap-pending", "fail", "node",
              "GPU 3 waiting for a reset"},
        Fault{"RemapFailed", one_gpu([](GpuFact& gpu) { gpu.remap_failed = 1; }), "gpu/remap-failed", "fail", "node",
              "GPU 3 could not replace failed memory rows"},
        Fault{"Ecc", one_gpu([](GpuFact& gpu) { gpu.ecc_uncorrected = 2; }), "gpu/ecc", "warn", "node",
              "GPU 3 with 2 uncorrectable memory errors"},
        Fault{"Fabric", one_gpu([](GpuFact& gpu) { gpu.fabric = "in progress"; }), "gpu/fabric", "warn", "node",
              "GPU 3 with NVLink fabric state 'in progress'"},
        Fault{"Hot", one_gpu([](GpuFact& gpu) { gpu.throttle = 0x48; }), "gpu/throttled", "warn", "node",
              "GPU 3 slowed down for heat"},
        Fault{"PowerBrake", one_gpu([](GpuFact& gpu) { gpu.throttle = 0x80; }), "gpu/throttled", "warn", "node",
              "GPU 3 slowed down by the power brake"},
        Fault{"MemoryInUse", one_gpu([](GpuFact& gpu) { gpu.memory_used_bytes = std::int64_t{9} << 30; }),
              "gpu/memory-in-use", "warn", "node", "GPU 3 with 9 GiB of memory in use"},
        Fault{"FewerLinks", one_gpu([](GpuFact& gpu) { gpu.nvlink_active = 16; }), "gpu/nvlink-down", "warn", "node",
              "GPU 3 with 16 NVLinks up (others of the same model: 18)"}),
    [](const auto& each) { return each.param.name; });

struct Sound {
  const char* name;
  std::function<void(int, GpuFacts&)> change;
};
void PrintTo(const Sound& each, std::ostream* out) { *out << each.name; }

class GpuSound : public ::testing::TestWithParam<Sound> {};

TEST_P(GpuSound, NoFinding) {
  Played played(3, GetParam().change);
  EXPECT_TRUE(played.findings.empty()) << played.findings.front().rule << ": " << played.findings.front().message;
  EXPECT_THAT(played.world.stage_state("Gpu"), HasSubstr("Passed"));
}

INSTANTIATE_TEST_SUITE_P(Each, GpuSound,
                         ::testing::Values(
                             // A driver of 12.2 runs what CUDA 12.4 built.
                             Sound{"MinorVersionBelow", [](int, GpuFacts& f) { f.cuda_version = 12020; }},
                             Sound{"DriverAbove", [](int, GpuFacts& f) { f.cuda_version = 13000; }},
                             Sound{"NoTorch", [](int, GpuFacts& f) { f.torch_cuda = 0; }},
                             Sound{"TorchOfCuda118OnHopper", [](int, GpuFacts& f) { f.torch_cuda = 11080; }},
                             Sound{"IdleAndPowerCapped",
                                   [](int, GpuFacts& f) {
                                     for (GpuFact& gpu : f.gpus) gpu.throttle = 0x1 | 0x2 | 0x4;
                                   }},
                             Sound{"NoNvlink",
                                   [](int, GpuFacts& f) {
                                     for (GpuFact& gpu : f.gpus) {
                                       gpu.nvlink_active = gpu.nvlink_links = -1;
                                       gpu.fabric = "not supported";
                                     }
                                   }},
                             // Bridges between pairs of cards: 4 of the chip's 12 links, on all.
                             Sound{"BridgesOnly",
                                   [](int, GpuFacts& f) {
                                     for (GpuFact& gpu : f.gpus) {
                                       gpu.nvlink_active = 4;
                                       gpu.nvlink_links = 12;
                                     }
                                   }},
                             Sound{"NvmlSaysNothing",
                                   [](int, GpuFacts& f) {
                                     f.nvml_result = -1;
                                     for (GpuFact& gpu : f.gpus)
                                       gpu.ecc_uncorrected = gpu.remap_pending = gpu.remap_failed = -1;
                                   }}),
                         [](const auto& each) { return each.param.name; });

TEST(Gpu, StubLibraryOnEveryNodeIsTheJobsOwn) {
  Played played(2, cuda_error(34, "CUDA_ERROR_STUB_LIBRARY"));
  ASSERT_EQ(played.findings.size(), 1u);
  EXPECT_EQ(played.findings[0].owner, "job");
  ASSERT_TRUE(played.world.asked.has_value());
  EXPECT_EQ(played.world.asked->reason, api::EndReason::JobsOwnCause);
}

TEST(Gpu, NoDeviceOnEveryNodePointsToTheTemplate) {
  Played played(2, cuda_error(100, "CUDA_ERROR_NO_DEVICE"));
  ASSERT_EQ(played.findings.size(), 1u);
  EXPECT_EQ(played.findings[0].owner, "job");
  EXPECT_EQ(played.world.status().stage, "Held") << "another round may see GPUs: nothing ends by itself";
}

TEST(Gpu, PodsThatGrabbedEveryGpuOfTheirNodeFail) {
  const auto all_eight = [](int, GpuFacts& f) { f = sound_gpus(0, 8); };
  const auto one_machine = [](int, LocalFacts& f) { f.boot_id = "boot"; };
  Played played(2, all_eight, one_machine, "nvidia.com/gpu", 4);
  ASSERT_EQ(played.findings.size(), 1u);
  EXPECT_EQ(played.findings[0].rule, "gpu/duplicate");
  EXPECT_EQ(played.findings[0].severity, "fail");
  EXPECT_THAT(played.findings[0].message,
              HasSubstr("shows GPU-0-0, which gpu-1 (node rank 0, ranks 0-7) shows too (8 and "
                        "8 GPUs are seen, 4 asked for)"));
  EXPECT_THAT(played.findings[0].node_ranks, ElementsAre(0, 1));
}

TEST(Gpu, TimeSlicingUnderThePlainNameIsNoFailureButNoCollectives) {
  const auto same = [](int, GpuFacts& f) { f = sound_gpus(0, 1); };
  const auto one_machine = [](int, LocalFacts& f) { f.boot_id = "boot"; };
  Played played(2, same, one_machine, "nvidia.com/gpu", 1);
  ASSERT_EQ(played.findings.size(), 1u);
  EXPECT_EQ(played.findings[0].rule, "gpu/shared");
  EXPECT_EQ(played.findings[0].severity, "warn");
  EXPECT_THAT(played.world.stage_state("Nccl"), HasSubstr("Skipped: two pods share a GPU"));
}

TEST(Gpu, EqualUuidsOnDifferentMachinesSayNothing) {
  Played played(2, [](int, GpuFacts& f) { f = sound_gpus(0, 8); });
  EXPECT_TRUE(played.findings.empty()) << played.findings.front().message;
}

TEST(Gpu, ADriverTooOldIsOnlyAWarningWhereTheShellMayBringCompat) {
  Played played(
      2, [](int, GpuFacts& f) { f.cuda_version = 11080; }, {}, "nvidia.com/gpu", 8,
      [](api::RollCall& r) { r.spec.partial_environment = "the command sources /opt/profile.sh"; });
  ASSERT_EQ(played.findings.size(), 1u);
  EXPECT_EQ(played.findings[0].severity, "warn");
}

TEST(Gpu, WhereTheChildCannotRunDeviceNodesAreCounted) {
  const auto no_child = [](int, GpuFacts& f) {
    f = GpuFacts{};
    f.not_started = true;
    f.error = kNoGlibc;
  };
  Played sound(2, no_child);
  ASSERT_EQ(sound.findings.size(), 1u);
  EXPECT_EQ(sound.findings[0].rule, "probe/child-cannot-run");
  EXPECT_EQ(sound.findings[0].severity, "warn");
  EXPECT_THAT(sound.world.stage_state("Gpu"), HasSubstr("Skipped: on 2 of 2 nodes CUDA could not be asked"));
  EXPECT_THAT(sound.world.stage_state("Nccl"), HasSubstr("no glibc"));

  Played blind(3, no_child, [](int node, LocalFacts& f) {
    if (node == 1) f.gpus_visible = 0;
    if (node == 1) f.gpu_detail = "no /dev/nvidia0";
  });
  EXPECT_EQ(blind.world.status().stage, "Held");
  EXPECT_THAT(blind.world.finding("gpu/not-visible"),
              HasSubstr("gpu-2 (node rank 1, ranks 8-15): 0 of the 8 nvidia.com/gpu asked for can be opened in the "
                        "container (no /dev/nvidia0)"));
}

TEST(Gpu, AChildThatCrashedSaysNothingOfTheDriverAndNothingIsMissing) {
  Played played(3, [](int node, GpuFacts& f) {
    if (node != 1) return;
    f = GpuFacts{};
    f.cut_short = true;
    f.error = "the program that asks CUDA and NVML was ended by SIGSEGV (invalid memory) in dlopen libcuda.so.1";
  });
  ASSERT_EQ(played.findings.size(), 1u);
  EXPECT_EQ(played.findings[0].rule, "probe/child-crashed");
  EXPECT_EQ(played.findings[0].severity, "warn");
  EXPECT_EQ(played.findings[0].owner, "node");
  EXPECT_THAT(played.findings[0].message, HasSubstr("gpu-2"));
  EXPECT_THAT(played.findings[0].message, HasSubstr("was ended by SIGSEGV (invalid memory) in dlopen libcuda.so.1"));
  EXPECT_THAT(played.world.stage_state("Gpu"), HasSubstr("Skipped: on 1 of 3 nodes CUDA could not be asked"));
  EXPECT_THAT(played.world.stage_state("Nccl"), HasSubstr("SIGSEGV"));
}

TEST(Gpu, AChildThatCrashedAfterCudaHadAnsweredIsOnlyAWarning) {
  Played played(2, [](int node, GpuFacts& f) {
    if (node != 1) return;
    f.cut_short = true;
    f.error = "the program that asks CUDA and NVML was ended by SIGSEGV (invalid memory) in nvmlInit";
  });
  ASSERT_EQ(played.findings.size(), 1u);
  EXPECT_EQ(played.findings[0].rule, "probe/child-crashed");
  EXPECT_THAT(played.world.stage_state("Gpu"), HasSubstr("Passed"));
}

TEST(Gpu, ACrashInACallThatTheTrainerMakesTooIsAFailureOfThatNode) {
  Played played(3, [](int node, GpuFacts& f) {
    if (node != 1) return;
    f = GpuFacts{};
    f.library = true;
    f.cut_short = true;
    f.cut_in = "cuInit";
    f.error = "the program that asks CUDA and NVML was ended by SIGSEGV (invalid memory) in cuInit";
  });
  ASSERT_EQ(played.findings.size(), 1u);
  EXPECT_EQ(played.findings[0].rule, "gpu/call-crashes");
  EXPECT_EQ(played.findings[0].severity, "fail");
  EXPECT_THAT(played.findings[0].node_ranks, ElementsAre(1));
  EXPECT_THAT(played.findings[0].message, HasSubstr("was ended by SIGSEGV (invalid memory) in cuInit"));
}

struct Resource {
  const char* name;
  const char* resource;
  const char* nccl;
};
void PrintTo(const Resource& each, std::ostream* out) { *out << each.name; }

class OtherResource : public ::testing::TestWithParam<Resource> {};

TEST_P(OtherResource, SkipsNcclAndSaysWhy) {
  Played played(
      2,
      [](int, GpuFacts& f) {
        if (std::string(GetParam().resource).rfind("nvidia.com/", 0) == 0) {
          f.gpus.resize(1);
          f.gpus[0].mig = std::string(GetParam().resource).find("mig") != std::string::npos;
          f.gpus[0].memory_used_bytes = f.gpus[0].mig ? f.gpus[0].memory_bytes / 2 : 0;
        } else {
          f = GpuFacts{};
          f.error = "libcuda.so.1: cannot open shared object file";
          f.other = "amd 8";
        }
      },
      [](int, LocalFacts& f) { f.gpus_visible = 1; }, GetParam().resource, 7);
  EXPECT_TRUE(played.findings.empty()) << played.findings.front().message;
  EXPECT_THAT(played.world.stage_state("Nccl"), HasSubstr(GetParam().nccl));
  EXPECT_THAT(played.world.stage_state("Mesh"), ::testing::StartsWith("Passed"));
}

INSTANTIATE_TEST_SUITE_P(
    Each, OtherResource,
    ::testing::Values(Resource{"Mig", "nvidia.com/mig-1g.10gb", "Skipped: nvidia.com/mig-1g.10gb is a MIG slice"},
                      Resource{"TimeSliced", "nvidia.com/gpu.shared", "Skipped: nvidia.com/gpu.shared is a shared GPU"},
                      Resource{"Amd", "amd.com/gpu", "Skipped: amd.com/gpu is an AMD GPU"},
                      Resource{"Gaudi", "habana.ai/gaudi", "Skipped: habana.ai/gaudi is an Intel Gaudi"},
                      Resource{"Neuron", "aws.amazon.com/neuron", "Skipped: aws.amazon.com/neuron is an AWS Neuron"},
                      Resource{"Tpu", "google.com/tpu", "Skipped: google.com/tpu is a TPU"}),
    [](const auto& each) { return each.param.name; });

TEST(Gpu, AProbeThatNeverAnswersIsNamedAtTheDeadline) {
  World world = gpu_job(2);
  world.gpu = {};
  world.see_all();
  world.round();
  EXPECT_THAT(world.stage_state("Gpu"), HasSubstr("Running"));
  world.pass(325s);
  EXPECT_THAT(world.finding("probe/stuck"), HasSubstr("answered, but not told what CUDA and NVML say"));
}

}  // namespace
}  // namespace rollcall::roll_call::testing
