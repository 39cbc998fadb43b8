#include "probe/children/leftovers.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>

#include "probe/children/process.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

constexpr std::string_view kPrefix = "nccl-";
constexpr std::size_t kMaxFiles = 10'000;

bool is_nccl(std::string_view name) { return name.substr(0, kPrefix.size()) == kPrefix; }

/// The name when `path` is an NCCL file right below `directory`, else empty. The kernel appends " (deleted)" to what is
/// gone already.
std::string nccl_name(const std::string& path, const std::string& directory) {
  const auto at = path.find(directory + "/" + std::string(kPrefix));
  if (at == std::string::npos || path.find(" (deleted)") != std::string::npos) return "";
  const auto name = path.substr(at + directory.size() + 1);
  return name.find('/') == std::string::npos ? name : "";
}

using Directory = std::unique_ptr<DIR, int (*)(DIR*)>;

}  // namespace

std::set<std::string> nccl_files(const std::string& directory) {
  std::set<std::string> names;
  const Directory open(::opendir(directory.c_str()), &::closedir);
  for (std::size_t seen = 0; open && seen < kMaxFiles; ++seen) {
    const dirent* entry = ::readdir(open.get());
    if (entry == nullptr) break;
    if (is_nccl(entry->d_name)) names.emplace(entry->d_name);
  }
  return names;
}

std::set<std::string> nccl_files_of(pid_t pid, const std::string& directory) {
  std::set<std::string> names;
  std::ifstream maps(text("/proc/", pid, "/maps"));
  for (std::string line; std::getline(maps, line);) {
    if (auto name = nccl_name(line, directory); !name.empty()) names.insert(std::move(name));
  }
  const auto descriptors = text("/proc/", pid, "/fd");
  const Directory open(::opendir(descriptors.c_str()), &::closedir);
  while (open) {
    const dirent* entry = ::readdir(open.get());
    if (entry == nullptr) break;
    char target[512] = {};
    if (::readlink(text(descriptors, "/", entry->d_name).c_str(), target, sizeof target - 1) <= 0) continue;
    if (auto name = nccl_name(target, directory); !name.empty()) names.insert(std::move(name));
  }
  return names;
}

std::set<std::string> nccl_files_held(const std::string& self, pid_t pid) {
  constexpr std::chrono::milliseconds kLimit{500};
  constexpr std::size_t kMaxOutput = 1U << 20;
  std::string printed;
  ProgramListener listener;
  listener.out = [&](std::string_view piece) {
    if (printed.size() < kMaxOutput) printed += piece;
  };
  const Environment none;
  const Wake never;
  run(Program{self, {self, "shared-memory", std::to_string(pid)}, none}, kLimit, never, listener);
  std::set<std::string> names;
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) {
    if (is_nccl(line) && line.find('/') == std::string::npos) names.insert(std::move(line));
  }
  return names;
}

int print_nccl_files(pid_t pid) {
  for (const auto& name : nccl_files_of(pid)) std::puts(name.c_str());
  return std::fflush(stdout) == 0 ? 0 : 1;
}

bool shares_node_memory() {
  // The number of the first IPC namespace is fixed: PROC_IPC_INIT_INO, include/linux/proc_ns.h.
  constexpr ino_t kFirstIpcNamespace = 0xEFFFFFFFU;
  struct stat status {};
  return ::stat("/proc/self/ns/ipc", &status) != 0 || status.st_ino == kFirstIpcNamespace;
}

std::vector<std::string> sweep(const std::set<std::string>& before, const std::set<std::string>& known, bool shared,
                               const std::string& directory) {
  std::vector<std::string> removed;
  for (const auto& name : nccl_files(directory)) {
    if (known.count(name) == 0 && (shared || before.count(name) != 0)) continue;
    const auto path = directory + "/" + name;
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) continue;
    if (::unlink(path.c_str()) == 0) removed.push_back(name);
  }
  return removed;
}

}  // namespace rollcall::probe
