#include "launch/kinds/mounted_files.h"

#include <utility>
#include <vector>

namespace rollcall::launch {
namespace {

/// Longest file that is looked into. A script has what Linux hands to a program as its bound (MAX_ARG_STRLEN); a longer
/// one is no start script but data.
constexpr std::size_t kLongestFile = 128 * 1024;

/// `path` without `.`, `..`, and doubled slashes; of an absolute path only.
std::string normal(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (part == ".." && !parts.empty()) parts.pop_back();
    if (!part.empty() && part != "." && part != "..") parts.push_back(part);
  }
  std::string out;
  for (const std::string_view part : parts) out += "/" + std::string(part);
  return out;
}

/// Whether `path` is `folder` or stands below it.
bool below(const std::string& path, const std::string& folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

/// The mount that decides what stands at `path`: the deepest one.
Field mount_at(const Field& container, const std::string& path) {
  const Field mounts = container["volumeMounts"];
  Field found;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    const std::string at = normal(mounts[i]["mountPath"].text());
    if (!mounts[i]["mountPath"].is_string() || !below(path, at) || (found.present() && at.size() < longest)) continue;
    found = mounts[i];
    longest = at.size();
  }
  return found;
}

Field volume_of(const Field& pod, const std::string& name) {
  const Field volumes = pod["volumes"];
  for (std::size_t i = 0; i < volumes.size(); ++i)
    if (volumes[i]["name"].text() == name) return volumes[i];
  return {};
}

/// The ConfigMap's key that a volume shows as `file`; empty = none.
std::string key_of(const Field& source, const std::string& file) {
  const Field items = source["items"];
  if (!items.present()) return file;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (normal("/" + items[i]["path"].text()) == "/" + file) return items[i]["key"].text();
  return "";
}

}  // namespace

const ConfigMap* ConfigMaps::find(const std::string& name) const {
  return around == nullptr || name.empty() ? nullptr : around->config_map(namespace_name, name);
}

MountedFiles::MountedFiles(Field container, Field pod, ConfigMaps maps)
    : container_(std::move(container)), pod_(std::move(pod)), maps_(std::move(maps)) {}

std::string MountedFiles::absolute(const std::string& path) const {
  if (path.starts_with('/')) return normal(path);
  const std::string folder = container_["workingDir"].text();
  return folder.starts_with('/') && !path.empty() ? normal(folder + "/" + path) : "";
}

std::optional<MountedFile> MountedFiles::find(const std::string& path) const {
  const std::string at = absolute(path);
  if (at.empty() || maps_.around == nullptr) return std::nullopt;
  const Field mount = mount_at(container_, at);
  if (!mount.present() || mount["subPathExpr"].present()) return std::nullopt;
  const std::string sub = normal("/" + mount["subPath"].text());
  const std::string file = sub + at.substr(normal(mount["mountPath"].text()).size());
  if (file.size() < 2) return std::nullopt;
  const Field volume = volume_of(pod_, mount["name"].text());
  if (auto found = in_config_map(volume["configMap"], file.substr(1))) return found;
  // Of sources that show the same path the last one counts; nobody writes that, and the first is as good a guess as
  // none at all would be: so only a path that one source has is read.
  std::optional<MountedFile> only;
  const Field sources = volume["projected"]["sources"];
  for (std::size_t i = 0; i < sources.size(); ++i) {
    auto found = in_config_map(sources[i]["configMap"], file.substr(1));
    if (found && only) return std::nullopt;
    if (found) only = std::move(found);
  }
  return only;
}

std::optional<MountedFile> MountedFiles::in_config_map(const Field& source, const std::string& file) const {
  const ConfigMap* map = maps_.find(source["name"].text());
  if (map == nullptr) return std::nullopt;
  const std::string key = key_of(source, file);
  const auto found = map->data.find(key);
  if (found == map->data.end() || found->second.size() > kLongestFile) return std::nullopt;
  return MountedFile{found->second, "ConfigMap `" + map->name + "`, key `" + key + "`"};
}

}  // namespace rollcall::launch
