#include "probe/facts/listing.h"

#include <dirent.h>

#include <algorithm>
#include <memory>

namespace rollcall::probe {
namespace {

constexpr std::size_t kMaxEntries = 10'000;

}  // namespace

std::vector<std::string> names_in(const std::string& root, const std::string& directory, std::string_view prefix,
                                  std::string_view suffix) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir((root + directory).c_str()), &::closedir);
  for (std::size_t seen = 0; open && seen < kMaxEntries; ++seen) {
    const dirent* entry = ::readdir(open.get());
    if (entry == nullptr) break;
    const std::string_view name(entry->d_name);
    if (name.size() >= prefix.size() + suffix.size() && name.substr(0, prefix.size()) == prefix &&
        name.substr(name.size() - suffix.size()) == suffix)
      names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace rollcall::probe
