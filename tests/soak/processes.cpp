#include "soak/processes.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "e2e/add_on.h"

namespace rollcall::soak {
namespace {

namespace fs = std::filesystem;

/// After that a process has its caches and its threads.
constexpr auto kWarm = std::chrono::seconds(20);

std::string content(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// "operator" for one of ours in our namespace, else "".
std::string program_of(const fs::path& process) {
  const std::string command = content(process / "cmdline");  // arguments end with a zero byte each
  if (command.find(std::string("--namespace=") + e2e::kAddOnNamespace + '\0') == std::string::npos) return "";
  const std::string name = fs::path(command.substr(0, command.find('\0'))).filename();
  for (const char* program : e2e::kPrograms)
    if (name == std::string("rollcall-") + program) return program;
  return "";
}

long resident(const fs::path& process) {
  const std::string status = content(process / "status");
  const auto at = status.find("VmRSS:");
  return at == std::string::npos ? 0 : std::atol(status.c_str() + at + 6);
}

}  // namespace

std::vector<Process> processes() {
  std::vector<Process> found;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string program = program_of(entry.path());
    if (program.empty()) continue;
    std::error_code error;
    int descriptors = 0;
    for (auto at = fs::directory_iterator(entry.path() / "fd", error); !error && at != fs::directory_iterator();
         at.increment(error))
      ++descriptors;
    const long kib = resident(entry.path());
    if (!error && kib > 0) found.push_back({std::stoi(name), program, kib, descriptors});
  }
  return found;
}

void Consumption::look() {
  const auto now = Clock::now();
  for (const Process& process : processes()) {
    const auto [at, fresh] = lives_.try_emplace(process.pid, Life{process, process, 0, 0, now, now});
    Life& life = at->second;
    if (now - life.since < kWarm) life.first = process;
    life.last = process;
    life.until = now;
    life.peak_kib = std::max(life.peak_kib, process.resident_kib);
    life.peak_descriptors = std::max(life.peak_descriptors, process.descriptors);
  }
}

}  // namespace rollcall::soak
