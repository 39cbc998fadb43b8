#include "probe/facts/devices.h"

#include <cstdio>
#include <cstdlib>

#include "api/names.h"
#include "probe/facts/accelerators.h"
#include "probe/facts/rdma.h"
#include "probe/facts/torch.h"
#include "probe/files.h"
#include "probe/text.h"
#include "roll_call/child_lines.h"

namespace rollcall::probe {
namespace {

constexpr std::size_t kMaxVersionFile = 64 * 1024;
constexpr std::size_t kMaxPlugin = 64U << 20;  // the largest net plugin is a few MB
constexpr std::size_t kMaxPlugins = 16;

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string plugin_words(const ImageView& image, const roll_call::LibraryFact& plugin) {
  const auto name = plugin.path.substr(plugin.path.find_last_of('/') + 1);
  const auto content = read_file(image.root + plugin.path, kMaxPlugin);
  return content ? text(name, " (sha256 ", sha256(*content).substr(0, 8), ")") : text(name, " (not readable)");
}

void print(const roll_call::ChildLine& line) {
  std::puts(roll_call::to_json(line).c_str());
  std::fflush(stdout);
}

}  // namespace

void describe_nccl(const ImageView& image, const std::vector<roll_call::LibraryFact>& libraries,
                   roll_call::NcclFacts& nccl) {
  for (const auto& library : libraries) {
    if (library.name == "torch" && nccl.linked_statically.empty())
      nccl.linked_statically = nccl_inside_torch(image, library.path);
    if (library.name == "nccl-net" && nccl.plugins.size() < kMaxPlugins)
      nccl.plugins.push_back(plugin_words(image, library));
  }
  if (!nccl.linked_statically.empty()) return;
  for (const auto& library : libraries) {
    if (library.name != "nccl") continue;
    nccl.path = library.path;
    nccl.version = library.version;
    nccl.build_id = library.build_id;
    return;
  }
}

DeviceFacts read_devices(const ImageView& image, const std::string& gpu_resource) {
  DeviceFacts facts;
  facts.gpu.visible_devices = visible_devices(image);
  facts.gpu.other = other_accelerators(image, gpu_resource);
  const auto libraries = find_libraries(image);
  for (const auto& library : libraries) {
    if (library.name != "torch" || facts.gpu.torch_cuda != 0) continue;
    if (const auto version = read_file(image.root + library.path + "/version.py", kMaxVersionFile))
      facts.gpu.torch_cuda = torch_cuda_from(*version);
  }
  describe_nccl(image, libraries, facts.nccl);
  facts.nccl.ibverbs = has_ibverbs(image);
  facts.nccl.rdma = read_rdma(image);
  facts.nccl.ib_driver = !facts.nccl.rdma.empty();
  return facts;
}

int print_devices() {
  auto facts = read_devices(ImageView{"", environment}, environment(api::names::kEnvGpuResource).value_or(""));
  roll_call::ChildLine gpu;
  gpu.gpu = std::move(facts.gpu);
  print(gpu);
  roll_call::ChildLine nccl;
  nccl.nccl = std::move(facts.nccl);
  print(nccl);
  return 0;
}

}  // namespace rollcall::probe
