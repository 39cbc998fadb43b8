#include "probe/facts/node.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <vector>

#include "probe/files.h"
#include "probe/net/address.h"
#include "probe/net/fd.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

constexpr std::size_t kSmallFile = 64 * 1024;

/// The file without its last newline; empty where it cannot be read, as in a sandbox without /proc.
std::string line_of(const std::string& path) {
  auto content = read_file(path, kSmallFile);
  if (!content) return "";
  while (!content->empty() && (content->back() == '\n' || content->back() == ' ')) content->pop_back();
  return *content;
}

std::int64_t limit_of(__rlimit_resource resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return 0;
  return limit.rlim_cur == RLIM_INFINITY ? -1 : static_cast<std::int64_t>(limit.rlim_cur);
}

/// "MemAvailable:   12345 kB" → bytes.
std::int64_t available_memory() {
  const auto info = read_file("/proc/meminfo", kSmallFile);
  if (!info) return 0;
  constexpr std::string_view kKey = "MemAvailable:";
  const auto at = info->find(kKey);
  if (at == std::string::npos) return 0;
  const auto digits = info->find_first_not_of(' ', at + kKey.size());
  std::int64_t kilobytes = 0;
  if (digits == std::string::npos) return 0;
  std::from_chars(info->data() + digits, info->data() + info->size(), kilobytes);
  return kilobytes * 1024;
}

void read_memory(roll_call::LocalFacts& facts) {
  // A container sees its own cgroup at the root of the mount, v2 first.
  facts.memory_limit_bytes = memory_limit_from(line_of("/sys/fs/cgroup/memory.max"));
  auto used = memory_limit_from(line_of("/sys/fs/cgroup/memory.current"));
  if (facts.memory_limit_bytes == 0) {
    facts.memory_limit_bytes = memory_limit_from(line_of("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
    used = memory_limit_from(line_of("/sys/fs/cgroup/memory/memory.usage_in_bytes"));
  }
  facts.memory_available_bytes = available_memory();
  if (facts.memory_limit_bytes > 0) {
    facts.memory_available_bytes =
        std::clamp<std::int64_t>(facts.memory_limit_bytes - used, 0, facts.memory_available_bytes);
  }
}

int mtu_of(const char* name) {
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  return ::ioctl(socket.get(), SIOCGIFMTU, &request) == 0 ? request.ifr_mtu : 0;
}

std::string address_text(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address->sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, address, sizeof v4);
    ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
  } else if (address->sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, address, sizeof v6);
    ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
  }
  return text;
}

std::vector<roll_call::InterfaceFact> interfaces() {
  std::vector<roll_call::InterfaceFact> found;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return found;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    auto at = std::find_if(found.begin(), found.end(), [&](const auto& i) { return i.name == entry->ifa_name; });
    if (at == found.end()) {
      roll_call::InterfaceFact fact;
      fact.name = entry->ifa_name;
      fact.mtu = mtu_of(entry->ifa_name);
      // As NCCL chooses: up, and with a carrier.
      fact.up = (entry->ifa_flags & IFF_UP) != 0 && (entry->ifa_flags & IFF_RUNNING) != 0;
      at = found.insert(found.end(), std::move(fact));
    }
    if (entry->ifa_addr == nullptr) continue;
    if (auto address = address_text(entry->ifa_addr); !address.empty()) at->addresses.push_back(std::move(address));
  }
  return found;
}

}  // namespace

std::int64_t memory_limit_from(std::string_view text) {
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error != std::errc() || end == text.data()) return 0;  // "max", or no such file
  return bytes >= (std::uint64_t{1} << 60) ? 0 : static_cast<std::int64_t>(bytes);
}

void read_node_facts(roll_call::LocalFacts& facts) {
  utsname names{};
  if (::uname(&names) == 0) {
    facts.hostname = names.nodename;
    facts.kernel = names.release;
    facts.architecture = names.machine;
  }
  facts.boot_id = line_of("/proc/sys/kernel/random/boot_id");
  facts.port_range = line_of("/proc/sys/net/ipv4/ip_local_port_range");
  std::replace(facts.port_range.begin(), facts.port_range.end(), '\t', ' ');
  struct statvfs shm {};
  if (::statvfs("/dev/shm", &shm) == 0) facts.shm_bytes = static_cast<std::int64_t>(shm.f_blocks * shm.f_frsize);
  read_memory(facts);
  facts.nofile = limit_of(RLIMIT_NOFILE);
  facts.memlock_bytes = limit_of(RLIMIT_MEMLOCK);
  facts.interfaces = interfaces();
}

void read_gpu_facts(roll_call::LocalFacts& facts, const std::string& dev, const std::string& proc) {
  int nodes = 0;
  std::string refused;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(dev.c_str()), &::closedir);
  while (directory) {
    const dirent* entry = ::readdir(directory.get());
    if (entry == nullptr) break;
    const std::string_view name(entry->d_name);
    constexpr std::string_view kPrefix = "nvidia";
    if (name.substr(0, kPrefix.size()) != kPrefix || name.size() == kPrefix.size()) continue;
    if (!std::all_of(name.begin() + kPrefix.size(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;
    ++nodes;
    const Fd fd(::open(text(dev, "/", name).c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
    if (fd.valid()) {
      ++facts.gpus_visible;
    } else {
      refused = text(dev, "/", name, ": ", errno_words(errno));
    }
  }
  if (facts.gpus_visible >= facts.gpus_requested) return;
  if (nodes == 0) {
    const bool driver = ::access((proc + "/driver/nvidia/version").c_str(), R_OK) == 0;
    facts.gpu_detail =
        text("no ", dev, "/nvidia0 … in the container; ",
             driver ? "the node has the NVIDIA driver, so its container runtime did not inject the devices"
                    : "no NVIDIA driver is loaded on the node");
  } else if (!refused.empty()) {
    facts.gpu_detail = text(nodes, " device nodes, ", facts.gpus_visible, " can be opened; ", refused);
  } else {
    facts.gpu_detail = text("only ", nodes, " NVIDIA device nodes in the container");
  }
}

}  // namespace rollcall::probe
