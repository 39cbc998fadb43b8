#include "probe/facts/torch.h"

#include <algorithm>
#include <charconv>

#include "probe/facts/elf.h"

namespace rollcall::probe {
namespace {

/// 12040 out of "12.4", "12.4.1"; 0 when it is no version.
int cuda_from(std::string_view version) {
  int major = 0;
  int minor = 0;
  const auto [dot, error] = std::from_chars(version.data(), version.data() + version.size(), major);
  if (error != std::errc() || dot == version.data() + version.size() || *dot != '.') return 0;
  if (std::from_chars(dot + 1, version.data() + version.size(), minor).ec != std::errc()) return 0;
  return major > 0 && major < 100 && minor >= 0 && minor < 100 ? major * 1000 + minor * 10 : 0;
}

/// 12040 out of "2.5.1+cu124": the last digit is the minor.
int cuda_of_suffix(std::string_view version) {
  const auto at = version.find("+cu");
  if (at == std::string_view::npos) return 0;
  int number = 0;
  std::from_chars(version.data() + at + 3, version.data() + version.size(), number);
  return number >= 80 && number < 1000 ? number / 10 * 1000 + number % 10 * 10 : 0;
}

}  // namespace

int torch_cuda_from(std::string_view version_py) {
  for (std::string_view left = version_py; !left.empty();) {
    const auto line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(line.size() + 1, left.size()));
    if (line.substr(0, 4) != "cuda" || line.size() < 5 || (line[4] != ':' && line[4] != ' ' && line[4] != '='))
      continue;
    const auto open = line.find_first_of("'\"", line.find('='));
    if (open == std::string_view::npos) return 0;  // cuda: Optional[str] = None
    return cuda_from(line.substr(open + 1, line.find(line[open], open + 1) - open - 1));
  }
  return cuda_of_suffix(torch_version_from(version_py));
}

std::string nccl_inside_torch(const ImageView& image, const std::string& torch) {
  const auto path = torch + "/lib/libtorch_cuda.so";
  const auto defined = defines_symbol(image.root + path, "ncclGetUniqueId");
  return defined && *defined ? path : "";
}

int visible_devices(const ImageView& image) {
  const auto value = image.env("CUDA_VISIBLE_DEVICES");
  if (!value) return -1;
  int count = 0;
  for (std::string_view left(*value); !left.empty();) {
    const auto end = std::min(left.find(','), left.size());
    auto entry = left.substr(0, end);
    while (!entry.empty() && entry.front() == ' ') entry.remove_prefix(1);
    const bool device = !entry.empty() && ((entry[0] >= '0' && entry[0] <= '9') || entry.substr(0, 3) == "GPU" ||
                                           entry.substr(0, 3) == "MIG");
    if (!device) break;
    ++count;
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return count;
}

}  // namespace rollcall::probe
