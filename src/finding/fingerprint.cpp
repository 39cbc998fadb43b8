#include <fmt/format.h>

#include <cstdint>
#include <map>

#include "finding/forms.h"

namespace rollcall {
namespace {

/// FNV-1a, 64 bits: it tells findings of one repository apart, it keeps no secret.
class Hash {
 public:
  /// Each part ends with a NUL, so that parts cannot run into one another.
  void add(std::string_view part) {
    for (const char c : part) step(c);
    step('\0');
  }
  std::uint64_t value() const { return value_; }

 private:
  void step(char c) {
    value_ ^= static_cast<unsigned char>(c);
    value_ *= 0x100000001b3u;
  }
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

/// `env[2].value` → `env[].value`: an entry above must not make a new alert of an old one.
std::string without_indexes(std::string_view path) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (i > 0 && path[i - 1] == '[' && path[i] >= '0' && path[i] <= '9') {
      while (i < path.size() && path[i] >= '0' && path[i] <= '9') ++i;
    }
    if (i < path.size()) out += path[i];
  }
  return out;
}

std::uint64_t hash_of(const Finding& finding) {
  Hash hash;
  for (const std::string& part : {finding.rule, finding.place.file, finding.object.api_version, finding.object.kind,
                                  finding.object.namespace_name, finding.object.name}) {
    hash.add(part);
  }
  hash.add(without_indexes(finding.place.path));
  return hash.value();
}

}  // namespace

std::vector<std::string> fingerprints(const Findings& findings) {
  std::map<std::uint64_t, int> seen;
  std::vector<std::string> out;
  out.reserve(findings.size());
  for (const Finding& finding : findings) {
    const std::uint64_t hash = hash_of(finding);
    out.push_back(fmt::format("{:016x}:{}", hash, ++seen[hash]));
  }
  return out;
}

}  // namespace rollcall
