#include "doubles/scenario/device.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "doubles/scenario/scenario.h"

namespace rollcall::doubles {
namespace {

std::string made_up_uuid(const std::string& prefix, const std::string& seed) {
  const std::uint64_t a = hash_of(seed), b = hash_of(seed + "/second half");
  char text[64];
  std::snprintf(text, sizeof text, "%08x-%04x-%04x-%04x-%012llx", static_cast<unsigned>(a >> 32),
                static_cast<unsigned>(a >> 16) & 0xffff, static_cast<unsigned>(a) & 0xffff,
                static_cast<unsigned>(b >> 48), static_cast<unsigned long long>(b & 0xffffffffffffULL));
  return prefix + text;
}

}  // namespace

std::vector<Gpu> machine_gpus() {
  const auto& scenario = Scenario::get();
  std::vector<Gpu> gpus;
  const auto count = scenario.number("gpus", {}, 8);
  for (int i = 0; i < count; ++i) {
    const Where here{.gpu = i};
    Gpu gpu;
    gpu.index = i;
    gpu.mig = scenario.flag("mig", here);
    gpu.name = scenario.text("gpu_name", here, "NVIDIA H100 80GB HBM3");
    gpu.uuid =
        scenario.text("uuid", here, made_up_uuid(gpu.mig ? "MIG-" : "GPU-", node_name() + "/" + std::to_string(i)));
    char pci[32];
    std::snprintf(pci, sizeof pci, "%04x:%02x:00.0", i / 16, (0x1b + i * 0x10) & 0xff);
    gpu.pci = scenario.text("pci", here, pci);
    if (std::sscanf(scenario.text("cc", here, "9.0").c_str(), "%d.%d", &gpu.major, &gpu.minor) != 2) gpu.major = 0;
    gpu.memory_bytes = scenario.number("memory_gb", here, 80) << 30;
    gpu.used_bytes = scenario.number("memory_used_mb", here, 600) << 20;
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

std::vector<Gpu> visible_gpus() {
  auto all = machine_gpus();
  const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
  if (list == nullptr) return all;
  std::vector<Gpu> visible;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    const Gpu* found = nullptr;
    char* end = nullptr;
    const long index = std::strtol(word.c_str(), &end, 10);
    const bool number = end != word.c_str() && *end == '\0';
    for (const auto& gpu : all)
      if (number ? gpu.index == index : !word.empty() && gpu.uuid.starts_with(word)) found = &gpu;
    if (found == nullptr) break;
    visible.push_back(*found);
  }
  return visible;
}

std::vector<unsigned char> uuid_bytes(const std::string& uuid) {
  std::vector<unsigned char> bytes;
  int high = -1;
  for (const char c : uuid.substr(uuid.size() < 4 ? 0 : 4)) {
    int digit = -1;
    if (c >= '0' && c <= '9') digit = c - '0';
    if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
    if (digit < 0) continue;
    if (high < 0) {
      high = digit;
    } else {
      bytes.push_back(static_cast<unsigned char>(high * 16 + digit));
      high = -1;
    }
  }
  bytes.resize(16);
  return bytes;
}

}  // namespace rollcall::doubles
