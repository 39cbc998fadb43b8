#include "roll_call/kept_facts.h"

#include <utility>

namespace rollcall::roll_call {
namespace {

void mix(std::size_t& hash, const std::string& text) {
  // Boost's hash_combine: order counts, and two equal texts do not cancel out.
  hash ^= std::hash<std::string>{}(text) + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2);
}

std::size_t hash_of_libraries(const std::vector<LibraryFact>& libraries) {
  std::size_t hash = libraries.size();
  for (const LibraryFact& each : libraries) {
    mix(hash, each.path);
    mix(hash, each.version);
    mix(hash, each.build_id);
  }
  return hash;
}

std::size_t hash_of_texts(const std::map<std::string, std::string>& texts) {
  std::size_t hash = texts.size();
  for (const auto& [key, value] : texts) {
    mix(hash, key);
    mix(hash, value);
  }
  return hash;
}

/// Everything but the three parts that are shared.
LocalFacts own_part(const LocalFacts& facts) {
  LocalFacts own;
  own.hostname = facts.hostname;
  own.boot_id = facts.boot_id;
  own.kernel = facts.kernel;
  own.architecture = facts.architecture;
  own.shm_bytes = facts.shm_bytes;
  own.memory_limit_bytes = facts.memory_limit_bytes;
  own.memory_available_bytes = facts.memory_available_bytes;
  own.nofile = facts.nofile;
  own.memlock_bytes = facts.memlock_bytes;
  own.port_range = facts.port_range;
  own.interfaces = facts.interfaces;
  own.gpu_resource = facts.gpu_resource;
  own.gpus_requested = facts.gpus_requested;
  own.gpus_visible = facts.gpus_visible;
  own.gpu_detail = facts.gpu_detail;
  return own;
}

}  // namespace

KeptFacts::KeptFacts(const LocalFacts& facts)
    : LocalFacts(own_part(facts)),
      libraries(std::make_shared<const std::vector<LibraryFact>>(facts.libraries)),
      conf_files(std::make_shared<const std::map<std::string, std::string>>(facts.conf_files)),
      env(std::make_shared<const std::map<std::string, std::string>>(facts.env)) {}

FactPools::FactPools() : libraries_(hash_of_libraries), texts_(hash_of_texts) {}

KeptFacts FactPools::keep(const LocalFacts& facts) {
  KeptFacts kept;
  static_cast<LocalFacts&>(kept) = own_part(facts);
  kept.libraries = libraries_.take(facts.libraries);
  kept.conf_files = texts_.take(facts.conf_files);
  kept.env = texts_.take(facts.env);
  return kept;
}

bool FactPools::same(const KeptFacts& kept, const LocalFacts& facts) {
  return kept.libraries == facts.libraries && kept.conf_files == facts.conf_files && kept.env == facts.env &&
         static_cast<const LocalFacts&>(kept) == own_part(facts);
}

}  // namespace rollcall::roll_call
