#include "doubles/scenario/scenario.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>

namespace rollcall::doubles {
namespace {

// Every key that a double reads.
constexpr std::array kKeys = {
    // libcuda
    "gpus", "gpu_name", "cc", "uuid", "pci", "mig", "memory_gb", "memory_used_mb", "largest_allocation_mib",
    "cuda_init", "cuda_version", "driver", "cuda_error_in", "cuda_error",
    // libnvidia-ml
    "nvml_init", "nvml_gpus", "nvml_gpu", "ecc_uncorrected", "remap_pending", "remap_failed", "nvlink_links",
    "nvlink_active", "fabric", "fabric_status", "fabric_clique", "fabric_health", "throttle",
    // libnccl
    "nccl_version", "net", "devices", "link_layer", "gdr", "provider", "plugin", "nvls", "mnnvl", "log", "warn",
    "error_in", "error", "error_text", "wrong_sum", "bus_gbytes", "small_us", "retry_seconds",
    // all
    "hang", "die", "stuck", "stuck_file"};

[[noreturn]] void refuse(const std::string& name, int line, const std::string& why) {
  std::fprintf(stderr, "rollcall double: %s line %d: %s\n", name.c_str(), line, why.c_str());
  std::_Exit(70);
}

std::string trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t\r");
  if (from == std::string_view::npos) return {};
  return std::string(text.substr(from, text.find_last_not_of(" \t\r") - from + 1));
}

bool known(std::string_view key) {
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end() || key.starts_with("delay_");
}

}  // namespace

Scenario Scenario::parse(std::string_view text, const std::string& name) {
  Scenario scenario;
  Section section;
  int number = 0;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (const auto comment = line.find('#'); comment != std::string::npos) line.resize(comment);
    line = trimmed(line);
    if (line.empty()) continue;
    if (line.front() == '[') {
      if (line.back() != ']') refuse(name, number, "a section ends with ]");
      section = {};
      std::istringstream words(line.substr(1, line.size() - 2));
      for (std::string word, value; words >> word; ++section.conditions) {
        if (!(words >> value)) refuse(name, number, "condition without a value: " + word);
        if (word == "node") {
          section.node = value;
        } else if (word == "gpu") {
          section.gpu = std::atoi(value.c_str());
        } else if (word == "rank") {
          section.rank = std::atoi(value.c_str());
        } else if (word == "unless") {
          section.unless_env = value;
        } else if (word == "link") {
          section.link_a = value;
          if (!(words >> section.link_b)) refuse(name, number, "a link has two nodes: [link gpu-17 gpu-18]");
        } else {
          refuse(name, number, "unknown condition: " + word);
        }
      }
      continue;
    }
    const auto equals = line.find('=');
    if (equals == std::string::npos) refuse(name, number, "neither a section nor key = value: " + line);
    Entry entry{section, trimmed(std::string_view(line).substr(0, equals)),
                trimmed(std::string_view(line).substr(equals + 1))};
    if (!known(entry.key)) refuse(name, number, "unknown key: " + entry.key);
    scenario.entries_.push_back(std::move(entry));
  }
  return scenario;
}

const Scenario& Scenario::get() {
  static const Scenario scenario = [] {
    const char* path = std::getenv("ROLLCALL_SCENARIO");
    if (path == nullptr || *path == '\0') return Scenario{};
    std::ifstream file(path);
    if (!file) refuse(path, 0, "cannot be read");
    std::stringstream text;
    text << file.rdbuf();
    return parse(text.str(), path);
  }();
  return scenario;
}

bool Scenario::applies(const Section& section, const Where& where) const {
  if (!section.node.empty() && section.node != node_name()) return false;
  if (section.gpu >= 0 && section.gpu != where.gpu) return false;
  if (section.rank >= 0 && section.rank != where.rank) return false;
  if (!section.link_a.empty() && !(section.link_a == node_name() && section.link_b == where.peer_node) &&
      !(section.link_b == node_name() && section.link_a == where.peer_node))
    return false;
  if (!section.unless_env.empty()) {
    const char* value = std::getenv(section.unless_env.c_str());
    if (value != nullptr && std::string_view(value) != "0" && *value != '\0') return false;
  }
  return true;
}

std::optional<std::string> Scenario::text(std::string_view key, const Where& where) const {
  const Entry* best = nullptr;
  for (const auto& entry : entries_)
    if (entry.key == key && applies(entry.section, where) &&
        (best == nullptr || entry.section.conditions >= best->section.conditions))
      best = &entry;
  if (best == nullptr) return std::nullopt;
  return best->value;
}

std::string Scenario::text(std::string_view key, const Where& where, const std::string& otherwise) const {
  return text(key, where).value_or(otherwise);
}

std::int64_t Scenario::number(std::string_view key, const Where& where, std::int64_t otherwise) const {
  const auto value = text(key, where);
  return value ? std::strtoll(value->c_str(), nullptr, 0) : otherwise;
}

double Scenario::real(std::string_view key, const Where& where, double otherwise) const {
  const auto value = text(key, where);
  return value ? std::strtod(value->c_str(), nullptr) : otherwise;
}

bool Scenario::flag(std::string_view key, const Where& where) const {
  const auto value = text(key, where);
  return value && (*value == "yes" || *value == "1" || *value == "true");
}

bool Scenario::lists(std::string_view key, std::string_view entry, const Where& where) const {
  const auto value = text(key, where);
  if (!value) return false;
  std::istringstream words(*value);
  for (std::string word; std::getline(words, word, ',');)
    if (trimmed(word) == entry) return true;
  return false;
}

std::string node_name() {
  static const std::string name = [] {
    if (const char* given = std::getenv("ROLLCALL_SCENARIO_NODE"); given != nullptr && *given != '\0')
      return std::string(given);
    std::array<char, 256> host{};
    if (gethostname(host.data(), host.size() - 1) != 0) return std::string("unknown");
    return std::string(host.data());
  }();
  return name;
}

void enter(std::string_view step, const Where& where) {
  const auto& scenario = Scenario::get();
  const double delay = scenario.real("delay_" + std::string(step), where, 0);
  if (delay > 0) {
    const auto whole = static_cast<time_t>(delay);
    timespec left{whole, static_cast<long>((delay - std::floor(delay)) * 1e9)};
    while (nanosleep(&left, &left) != 0) {
    }
  }
  if (scenario.lists("die", step, where)) {
    std::signal(SIGSEGV, SIG_DFL);
    std::raise(SIGSEGV);
  }
  if (scenario.lists("stuck", step, where)) {
    const auto file = scenario.text("stuck_file", where, "");
    const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    std::fprintf(
        stderr,
        "rollcall double: stuck_file %s could be opened or is missing; it must be in a mount that never answers\n",
        file.c_str());
    if (fd >= 0) close(fd);
    std::_Exit(70);
  }
  if (scenario.lists("hang", step, where))
    for (;;) pause();
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

}  // namespace rollcall::doubles
