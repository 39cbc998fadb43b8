#include "doubles/nccl/log.h"

#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>

#include "doubles/nccl/cuda.h"
#include "doubles/scenario/scenario.h"

namespace rollcall::doubles {
namespace {

struct Log {
  std::mutex mutex;
  FILE* file = stdout;
  bool informs = false, warns = false;
  std::string subsystems = "INIT,BOOTSTRAP,ENV";  // NCCL's own choice
  std::string host = "unknown";
  std::string last;
};

std::string expanded(std::string_view pattern, const std::string& host) {
  std::string path;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      path += pattern[i];
    } else if (const char letter = pattern[++i]; letter == 'h') {
      path += host;
    } else if (letter == 'p') {
      path += std::to_string(getpid());
    } else {
      path += letter;
    }
  }
  return path;
}

Log& log() {
  static Log& one = *[] {
    auto* made = new Log;
    std::array<char, 256> host{};
    if (gethostname(host.data(), host.size() - 1) == 0) made->host = host.data();
    made->host = made->host.substr(0, made->host.find('.'));
    const char* level = std::getenv("NCCL_DEBUG");
    made->informs = level != nullptr && (strcasecmp(level, "INFO") == 0 || strcasecmp(level, "TRACE") == 0);
    made->warns = made->informs || (level != nullptr && strcasecmp(level, "WARN") == 0);
    if (const char* list = std::getenv("NCCL_DEBUG_SUBSYS"); list != nullptr) made->subsystems = list;
    if (const char* path = std::getenv("NCCL_DEBUG_FILE"); path != nullptr && made->warns)
      if (FILE* file = std::fopen(expanded(path, made->host).c_str(), "we"); file != nullptr) {
        setlinebuf(file);
        made->file = file;
      }
    return made;
  }();
  return one;
}

bool wanted(const std::string& list, const char* name) {
  if (list.find("ALL") != std::string::npos) return true;
  const bool inverted = list.starts_with('^');
  const auto padded = "," + list.substr(inverted ? 1 : 0) + ",";
  return (padded.find("," + std::string(name) + ",") != std::string::npos) != inverted;
}

std::string prefix(const Log& log) {
  return log.host + ":" + std::to_string(getpid()) + ":" + std::to_string(syscall(SYS_gettid)) + " ";
}

}  // namespace

void info(Subsystem subsystem, const std::string& text) {
  auto& out = log();
  constexpr std::array kNames = {"INIT", "NET", "ENV", "GRAPH"};
  const std::lock_guard lock(out.mutex);
  // Lines about the net are of INIT and NET both.
  const bool shown = wanted(out.subsystems, kNames[static_cast<std::size_t>(subsystem)]) ||
                     (subsystem == Subsystem::Net && wanted(out.subsystems, "INIT"));
  if (!out.informs || !shown) return;
  std::fprintf(out.file, "%s[%d] NCCL INFO %s\n", prefix(out).c_str(), log_device(), text.c_str());
  std::fflush(out.file);
}

void warn(std::string_view place, const std::string& text) {
  auto& out = log();
  const std::lock_guard lock(out.mutex);
  out.last = text;
  if (!out.warns) return;
  std::string stamp;
  // Warnings carry a time since 2.26.
  if (Scenario::get().number("nccl_version", {}, 22705) >= 22600) {
    const time_t now = std::time(nullptr);
    tm parts{};
    localtime_r(&now, &parts);
    std::array<char, 32> buffer{};
    std::strftime(buffer.data(), buffer.size(), "[%F %T] ", &parts);
    stamp = buffer.data();
  }
  std::fprintf(out.file, "\n%s%s[%d] %.*s NCCL WARN %s\n", stamp.c_str(), prefix(out).c_str(), log_device(),
               static_cast<int>(place.size()), place.data(), text.c_str());
  std::fflush(out.file);
}

const char* last_error() {
  auto& out = log();
  const std::lock_guard lock(out.mutex);
  static thread_local std::string copy;
  copy = out.last;
  return copy.c_str();
}

}  // namespace rollcall::doubles
