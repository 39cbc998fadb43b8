#include "launch/merged.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "launch/document/document.h"
#include "launch/document/path.h"

namespace rollcall::launch {
namespace {

/// Whether `path` is `above` or stands below it.
bool at_or_below(std::string_view path, std::string_view above) {
  if (!path.starts_with(above)) return false;
  return path.size() == above.size() || path[above.size()] == '.' || path[above.size()] == '[';
}

/// Where the object itself wrote what stands at `path` of the merged one; nullopt for what comes from elsewhere.
std::optional<std::string> own_place(const Launch& launch, const std::string& path) {
  const Written* longest = nullptr;
  for (const Written& one : launch.written)
    if (at_or_below(path, one.merged) && (longest == nullptr || one.merged.size() > longest->merged.size()))
      longest = &one;
  if (longest == nullptr) return std::nullopt;
  return longest->path + path.substr(longest->merged.size());
}

/// The same for the JSON pointers of a patch.
std::optional<std::string> own_pointer(const Launch& launch, const std::string& pointer) {
  for (const Written& one : launch.written) {
    const std::string above = pointer_of(one.merged);
    if (!pointer.starts_with(above) || (pointer.size() > above.size() && pointer[above.size()] != '/')) continue;
    return pointer_of(one.path) + pointer.substr(above.size());
  }
  return std::nullopt;
}

std::string own_patch(const Launch& launch, const std::string& patch) {
  auto operations = nlohmann::ordered_json::parse(patch, nullptr, false);
  if (!operations.is_array()) return {};
  for (auto& operation : operations) {
    for (const char* name : {"path", "from"}) {
      if (!operation.contains(name)) continue;
      const std::string pointer = operation[name];
      if (!pointer.starts_with(std::string("/") + kMerged + "/")) continue;
      const auto own = own_pointer(launch, pointer);
      if (!own) return {};
      operation[name] = *own;
    }
  }
  return operations.dump();
}

}  // namespace

void settle(Finding& finding, const Launch& launch, const Origin& origin) {
  const std::string path = finding.place.path;
  if (launch.merged == nullptr || !at_or_below(path, kMerged)) return;
  if (const auto own = own_place(launch, path)) {
    finding.place.path = *own;
  } else {
    finding.place.path = launch.merged_at;
    const std::string there =
        path.size() > std::string(kMerged).size() ? path.substr(std::string(kMerged).size() + 1) : std::string();
    finding.message = fmt::format("in {}, {}: {}", launch.merged_from, there, finding.message);
  }
  if (!finding.patch.empty()) finding.patch = own_patch(launch, finding.patch);
  if (origin.marks == nullptr) return;
  const std::string whole = origin.prefix.empty() ? finding.place.path : origin.prefix + "." + finding.place.path;
  const Mark mark = origin.marks->at(whole);
  finding.place.line = mark.line;
  finding.place.column = mark.column;
}

}  // namespace rollcall::launch
