#include "probe/facts/rdma.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <map>

#include "probe/facts/ld_cache.h"
#include "probe/facts/listing.h"
#include "probe/files.h"
#include "probe/net/address.h"
#include "probe/net/fd.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

constexpr std::size_t kMaxFile = 4096;  // a page: sysfs gives no more
constexpr std::size_t kMaxCache = 32U << 20;
constexpr int kMaxGids = 256;  // entries of a GID table; mlx5 has 256

/// One line of a sysfs file; empty when it cannot be read.
std::string line_of(const std::string& path) {
  const auto content = read_file(path, kMaxFile);
  if (!content) return "";
  return content->substr(0, content->find('\n'));
}

/// "ACTIVE" out of "4: ACTIVE".
std::string word_of(const std::string& line) {
  const auto colon = line.find(": ");
  return colon == std::string::npos ? line : line.substr(colon + 2);
}

/// 400 out of "400 Gb/sec (4X NDR)"; rates like "2.5 Gb/sec" are rounded down.
int rate_of(const std::string& line) {
  int rate = 0;
  std::from_chars(line.data(), line.data() + line.size(), rate);
  return rate;
}

/// "fe80:0000:0000:0000:0000:0000:0000:0000" and all zeros are entries without an address.
bool configured(const std::string& gid) {
  const auto digits_from = gid.compare(0, 4, "fe80") == 0 ? 4U : 0U;
  return std::any_of(gid.begin() + std::min<std::ptrdiff_t>(digits_from, static_cast<std::ptrdiff_t>(gid.size())),
                     gid.end(), [](char c) { return c != '0' && c != ':'; });
}

bool is_ipv4(const std::string& gid) { return gid.compare(0, 30, "0000:0000:0000:0000:0000:ffff:") == 0; }

std::string link_name(const std::string& path) {
  char target[512] = {};
  const auto size = ::readlink(path.c_str(), target, sizeof target - 1);
  if (size <= 0) return "";
  const std::string link(target, static_cast<std::size_t>(size));
  return link.substr(link.find_last_of('/') + 1);
}

/// RDMA device to its uverbs node: "mlx5_0" to "uverbs0".
std::map<std::string, std::string> verbs_nodes(const ImageView& image) {
  std::map<std::string, std::string> nodes;
  const std::string directory = "/sys/class/infiniband_verbs";
  for (const auto& node : names_in(image.root, directory, "uverbs", "")) {
    auto device = line_of(image.root + directory + "/" + node + "/ibdev");
    if (!device.empty()) nodes.emplace(std::move(device), node);
  }
  return nodes;
}

void try_to_open(const ImageView& image, const std::string& node, roll_call::RdmaDevice& device) {
  if (node.empty()) {
    device.error = "no uverbs node: the driver's verbs part (ib_uverbs) is not loaded on the node";
    return;
  }
  const auto path = "/dev/infiniband/" + node;
  const Fd fd(::open((image.root + path).c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  device.opens = fd.valid();
  if (device.opens) return;
  device.error = errno == ENOENT ? text(path, " is not in the container") : text(path, ": ", errno_words(errno));
}

roll_call::RdmaDevice read_device(const ImageView& image, const std::string& name, const std::string& node) {
  const auto at = image.root + "/sys/class/infiniband/" + name;
  const auto port = at + "/ports/1";
  roll_call::RdmaDevice device;
  device.name = name;
  device.driver = link_name(at + "/device/driver");
  device.state = word_of(line_of(port + "/state"));
  device.physical_state = word_of(line_of(port + "/phys_state"));
  device.link_layer = line_of(port + "/link_layer");
  device.rate_gbits = rate_of(line_of(port + "/rate"));
  const auto index = chosen_gid_index(image, port, device.link_layer);
  const auto gid = line_of(text(port, "/gids/", index));
  device.gid_zero = !configured(gid);
  if (device.link_layer == "Ethernet") device.gid_type = line_of(text(port, "/gid_attrs/types/", index));
  try_to_open(image, node, device);
  return device;
}

}  // namespace

int chosen_gid_index(const ImageView& image, const std::string& port, const std::string& link_layer) {
  if (link_layer != "Ethernet") return 0;
  if (const auto given = image.env("NCCL_IB_GID_INDEX")) {
    int index = -1;
    std::from_chars(given->data(), given->data() + given->size(), index);
    if (index >= 0) return index;
  }
  int second = -1;
  for (int index = 0; index < kMaxGids; ++index) {
    const auto gid = line_of(text(port, "/gids/", index));
    if (gid.empty()) break;
    if (!configured(gid) || line_of(text(port, "/gid_attrs/types/", index)) != "RoCE v2") continue;
    if (is_ipv4(gid)) return index;
    if (second < 0) second = index;
  }
  return std::max(second, 0);
}

std::vector<roll_call::RdmaDevice> read_rdma(const ImageView& image) {
  const auto nodes = verbs_nodes(image);
  std::vector<roll_call::RdmaDevice> devices;
  for (const auto& name : names_in(image.root, "/sys/class/infiniband", "", "")) {
    if (name[0] == '.') continue;
    if (devices.size() == roll_call::kMaxRdmaDevices) break;
    const auto node = nodes.find(name);
    devices.push_back(read_device(image, name, node == nodes.end() ? "" : node->second));
  }
  return devices;
}

bool has_ibverbs(const ImageView& image) {
  constexpr std::string_view kName = "libibverbs.so.1";
  const auto is_in = [&](std::string_view directory) {
    struct stat status {};
    return !directory.empty() && ::stat(text(image.root, directory, "/", kName).c_str(), &status) == 0;
  };
  const auto given = image.env("LD_LIBRARY_PATH").value_or("");
  for (std::string_view left(given); !left.empty();) {
    const auto end = std::min(left.find_first_of(":;"), left.size());
    if (is_in(left.substr(0, end))) return true;
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  if (const auto cache = read_file(image.root + "/etc/ld.so.cache", kMaxCache)) {
    const auto paths = cached_paths(*cache, kName);
    if (std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
          struct stat status {};
          return ::stat((image.root + path).c_str(), &status) == 0;
        }))
      return true;
  }
  constexpr std::string_view kDirectories[] = {"/lib/x86_64-linux-gnu",
                                               "/usr/lib/x86_64-linux-gnu",
                                               "/lib/aarch64-linux-gnu",
                                               "/usr/lib/aarch64-linux-gnu",
                                               "/lib64",
                                               "/usr/lib64",
                                               "/lib",
                                               "/usr/lib"};
  return std::any_of(std::begin(kDirectories), std::end(kDirectories), is_in);
}

}  // namespace rollcall::probe
