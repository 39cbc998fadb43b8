// What of torch, NCCL and other makers' devices is read from files alone.
#include "probe/facts/devices.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "probe/facts/accelerators.h"
#include "probe/facts/elf.h"
#include "probe/facts/torch.h"
#include "probe/steps/nccl.h"
#include "probe/support/process.h"

namespace rollcall::probe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryDirectory;

struct VersionFile {
  const char* name;
  const char* text;
  int cuda;
};
class TorchCuda : public ::testing::TestWithParam<VersionFile> {};
TEST_P(TorchCuda, IsReadFromItsVersionFile) { EXPECT_EQ(torch_cuda_from(GetParam().text), GetParam().cuda); }
INSTANTIATE_TEST_SUITE_P(
    Torch, TorchCuda,
    ::testing::Values(
        VersionFile{"Typed", "__version__ = '2.3.1+cu121'\ndebug = False\ncuda: Optional[str] = '12.1'\n", 12010},
        VersionFile{"Vendor",
                    "__version__ = '2.5.0a0+e000cf0'\ncuda: Optional[str] = '12.4'\nhip: Optional[str] = None\n",
                    12040},
        VersionFile{"Untyped", "__version__ = '2.0'\ncuda = '11.8'\n", 11080},
        VersionFile{"Patch", "cuda: Optional[str] = '13.0.1'\n", 13000},
        VersionFile{"Without", "__version__ = '2.3.1+cpu'\ncuda: Optional[str] = None\n", 0},
        VersionFile{"OnlySuffix", "__version__ = '2.7.1+cu128'\n", 12080},
        VersionFile{"OldSuffix", "__version__ = '2.0.1+cu118'\n", 11080},
        VersionFile{"Rocm", "__version__ = '2.3.1+rocm6.0'\n", 0},
        VersionFile{"Nonsense", "cuda: Optional[str] = 'twelve'\n", 0}, VersionFile{"Empty", "", 0}),
    [](const auto& test) { return test.param.name; });

ImageView view(const TemporaryDirectory& root, std::map<std::string, std::string> environment = {}) {
  return {root.path(), [environment](const char* name) -> std::optional<std::string> {
            const auto at = environment.find(name);
            return at == environment.end() ? std::nullopt : std::optional(at->second);
          }};
}

roll_call::RankResult rank_over(const std::string& network, std::vector<std::string> devices) {
  roll_call::RankResult rank;
  rank.network = network;
  rank.devices = std::move(devices);
  return rank;
}

TEST(RdmaDevices, ThoseThatNcclListedInACollectiveAreMarked) {
  roll_call::NcclFacts facts;
  for (const char* name : {"mlx5_0", "mlx5_1", "mlx5_10"}) facts.rdma.emplace_back().name = name;
  const auto listed = [&] {
    std::vector<std::string> names;
    for (const auto& device : facts.rdma)
      if (device.listed_by_nccl) names.push_back(device.name);
    return names;
  };
  mark_listed({}, facts);
  EXPECT_THAT(listed(), ::testing::IsEmpty());
  mark_listed({rank_over("Socket", {"eth0", "mlx5_0:1"})}, facts);
  EXPECT_THAT(listed(), ::testing::IsEmpty()) << "a list of interfaces";
  mark_listed({rank_over("IB", {"mlx5_0:2"})}, facts);
  EXPECT_THAT(listed(), ::testing::IsEmpty()) << "what is read of a device is its port 1";
  mark_listed({rank_over("IB", {"mlx5_0:1"}), rank_over("IB", {"mlx5_10:1"})}, facts);
  EXPECT_THAT(listed(), ElementsAre("mlx5_0", "mlx5_10"));
  mark_listed({rank_over("Socket", {"eth0"})}, facts);
  EXPECT_THAT(listed(), ElementsAre("mlx5_0", "mlx5_10")) << "the pair that was tried again without RDMA";
}

struct Visible {
  const char* value;
  int count;
};
class VisibleDevices : public ::testing::TestWithParam<Visible> {};
TEST_P(VisibleDevices, AreCountedAsCudaDoes) {
  const TemporaryDirectory root;
  EXPECT_EQ(visible_devices(view(root, {{"CUDA_VISIBLE_DEVICES", GetParam().value}})), GetParam().count);
}
INSTANTIATE_TEST_SUITE_P(Environment, VisibleDevices,
                         ::testing::Values(Visible{"0,1,2,3", 4}, Visible{"", 0}, Visible{"-1", 0},
                                           Visible{"0,-1,1", 1}, Visible{"GPU-8932f937,MIG-1/2", 2},
                                           Visible{"NoDevFiles", 0}, Visible{"0, 1", 2}));

TEST(VisibleDevices, UnsetIsNotZero) {
  const TemporaryDirectory root;
  EXPECT_EQ(visible_devices(view(root)), -1);
}

template <typename T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A shared object with one dynamic symbol, defined or only asked for.
std::string made_library(const std::string& symbol, bool defined) {
  const std::string names = std::string(1, '\0') + symbol + '\0';
  const std::size_t names_at = sizeof(Elf64_Ehdr);
  const std::size_t symbols_at = names_at + names.size();
  const std::size_t sections_at = symbols_at + 2 * sizeof(Elf64_Sym);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_shoff = sections_at;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  Elf64_Sym entry{};
  entry.st_name = 1;
  entry.st_shndx = defined ? 1 : SHN_UNDEF;
  Elf64_Shdr symbols{};
  symbols.sh_type = SHT_DYNSYM;
  symbols.sh_offset = symbols_at;
  symbols.sh_size = 2 * sizeof(Elf64_Sym);
  symbols.sh_entsize = sizeof(Elf64_Sym);
  symbols.sh_link = 2;
  Elf64_Shdr strings{};
  strings.sh_type = SHT_STRTAB;
  strings.sh_offset = names_at;
  strings.sh_size = names.size();
  std::string file;
  append(file, header);
  file += names;
  append(file, Elf64_Sym{});
  append(file, entry);
  append(file, Elf64_Shdr{});
  append(file, symbols);
  append(file, strings);
  return file;
}

TEST(Elf, ASymbolIsDefinedOrOnlyAskedFor) {
  const TemporaryDirectory files;
  const auto own = files.write("own", made_library("ncclGetUniqueId", true));
  const auto asks = files.write("asks", made_library("ncclGetUniqueId", false));
  const auto longer = files.write("longer", made_library("pncclGetUniqueId", true));
  EXPECT_TRUE(*defines_symbol(own, "ncclGetUniqueId"));
  EXPECT_FALSE(*defines_symbol(asks, "ncclGetUniqueId"));
  EXPECT_FALSE(*defines_symbol(longer, "ncclGetUniqueId"));
  EXPECT_FALSE(defines_symbol(files.write("text", "#!/bin/sh"), "x"));
}

TEST(Elf, HostileSymbolTablesAreAnErrorOrNothing) {
  const TemporaryDirectory files;
  const auto whole = made_library("ncclGetUniqueId", true);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ '\xff');
    (void)defines_symbol(files.write("changed", changed), "ncclGetUniqueId");  // no crash, no endless read
  }
}

const std::string kSite = "usr/lib/python3.11/site-packages/";

TEST(Devices, TheTrainersLibraryIsTheOneToLoad) {
  const TemporaryDirectory root;
  root.write(kSite + "torch/version.py", "__version__ = '2.5.1+cu124'\ncuda: Optional[str] = '12.4'\n");
  root.write(kSite + "torch/lib/libtorch_cuda.so", made_library("ncclGetUniqueId", false));
  root.write(kSite + "nvidia/nccl/lib/libnccl.so.2", "");
  root.write(kSite + "nvidia_nccl_cu12-2.21.5.dist-info/METADATA", "");
  root.write("usr/lib/libnccl.so.2", "");
  root.write("opt/amazon/ofi-nccl/lib/libnccl-net.so", "plugin");
  const auto facts = read_devices(view(root, {{"CUDA_VISIBLE_DEVICES", "0,1"}}), "nvidia.com/gpu");
  EXPECT_EQ(facts.gpu.torch_cuda, 12040);
  EXPECT_EQ(facts.gpu.visible_devices, 2);
  EXPECT_EQ(facts.nccl.path, "/" + kSite + "nvidia/nccl/lib/libnccl.so.2");
  EXPECT_EQ(facts.nccl.version, "2.21.5");
  EXPECT_EQ(facts.nccl.linked_statically, "");
  EXPECT_THAT(facts.nccl.plugins, ElementsAre("libnccl-net.so (sha256 5e689e2b)"));
  EXPECT_FALSE(facts.nccl.ib_driver);
}

TEST(Devices, NcclInsideTorchIsNamedAndNoOtherTakenForIt) {
  const TemporaryDirectory root;
  root.write(kSite + "torch/version.py", "__version__ = '1.13.1+cu117'\n");
  root.write(kSite + "torch/lib/libtorch_cuda.so", made_library("ncclGetUniqueId", true));
  root.write("usr/lib/libnccl.so.2", "");
  const auto facts = read_devices(view(root), "nvidia.com/gpu");
  EXPECT_EQ(facts.nccl.linked_statically, "/" + kSite + "torch/lib/libtorch_cuda.so");
  EXPECT_EQ(facts.nccl.path, "");
}

struct Maker {
  const char* name;
  std::vector<std::string> nodes;
  const char* resource;
  const char* words;
};
class Accelerators : public ::testing::TestWithParam<Maker> {};
TEST_P(Accelerators, OfAnotherMakerAreCounted) {
  const TemporaryDirectory root;
  for (const auto& node : GetParam().nodes) root.write(node, "");
  EXPECT_EQ(other_accelerators(view(root), GetParam().resource), GetParam().words);
}
INSTANTIATE_TEST_SUITE_P(
    Devices, Accelerators,
    ::testing::Values(
        Maker{"Amd", {"dev/kfd", "dev/dri/renderD128", "dev/dri/renderD129", "dev/dri/card0"}, "amd.com/gpu", "amd 2"},
        Maker{"Neuron", {"dev/neuron0", "dev/neuron1"}, "aws.amazon.com/neuron", "neuron 2"},
        Maker{"OldHabana", {"dev/hl0", "dev/hl_controlD0"}, "habana.ai/gaudi", "habana 1"},
        Maker{"Tpu", {"dev/accel0", "dev/accel1"}, "google.com/tpu", "tpu 2"},
        Maker{"TpuByVfio", {"dev/vfio/0", "dev/vfio/1", "dev/vfio/vfio"}, "google.com/tpu", "tpu 2"},
        Maker{"AnotherVfioDevice", {"dev/vfio/0", "dev/vfio/vfio"}, "", ""},
        Maker{"Nvidia", {"dev/nvidia0", "dev/dri/renderD128"}, "nvidia.com/gpu", ""}, Maker{"None", {}, "", ""}),
    [](const auto& test) { return test.param.name; });

TEST(Accelerators, TheKernelsOwnClassIsHabanasByItsDriver) {
  const TemporaryDirectory root;
  root.write("dev/accel/accel0", "");
  EXPECT_EQ(other_accelerators(view(root), ""), "") << "any driver can make such a node";
  root.write("sys/class/accel/accel0/device/uevent", "");
  std::filesystem::create_symlink("../../bus/pci/drivers/habanalabs",
                                  root.path() + "/sys/class/accel/accel0/device/driver");
  EXPECT_EQ(other_accelerators(view(root), ""), "habana 1");
}

}  // namespace
}  // namespace rollcall::probe
