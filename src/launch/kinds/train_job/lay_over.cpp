#include "launch/kinds/train_job/lay_over.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "launch/document/path.h"

namespace rollcall::launch::train_job {
namespace {

using Json = nlohmann::json;

/// Lists that are merged, and the key that tells their items apart: patchMergeKey in the types of Kubernetes 1.34 and
/// JobSet 0.10, as far as a TrainJob can patch them. tolerations are not among them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kMergedLists{{{"replicatedJobs", "name"},
                                                                                     {"containers", "name"},
                                                                                     {"initContainers", "name"},
                                                                                     {"env", "name"},
                                                                                     {"volumes", "name"},
                                                                                     {"volumeMounts", "mountPath"},
                                                                                     {"imagePullSecrets", "name"},
                                                                                     {"schedulingGates", "name"},
                                                                                     {"claims", "name"}}};

std::string_view merge_key(std::string_view list) {
  const auto found =
      std::find_if(kMergedLists.begin(), kMergedLists.end(), [list](const auto& entry) { return entry.first == list; });
  return found == kMergedLists.end() ? std::string_view() : found->second;
}

/// The item of `list` with the same value at `key`; its size when there is none.
std::size_t same_item(const Json& list, const Json& item, std::string_view key) {
  if (!item.is_object() || !item.contains(key)) return list.size();
  std::size_t at = 0;
  while (at < list.size() && !(list[at].is_object() && list[at].contains(key) && list[at][key] == item[key])) ++at;
  return at;
}

void replace(const Layer& layer, std::vector<Written>& written) {
  layer.under = layer.over;
  written.push_back({layer.under_path, layer.over_path});
}

void lay_over_list(const Layer& layer, std::string_view key, bool whole, std::vector<Written>& written) {
  for (std::size_t i = 0; i < layer.over.size(); ++i) {
    const std::size_t at = same_item(layer.under, layer.over[i], key);
    const std::string path = child(layer.over_path, i);
    const bool added = at == layer.under.size();
    if (added) layer.under.push_back(nullptr);
    const Layer item{layer.under[at], child(layer.under_path, at), layer.over[i], path};
    if (added || whole) {
      replace(item, written);
    } else {
      lay_over(item, written);
    }
  }
}

}  // namespace

void lay_over(const Layer& layer, std::vector<Written>& written) {
  if (layer.over.is_null()) return;
  if (!layer.over.is_object() || !layer.under.is_object()) return replace(layer, written);
  for (const auto& [key, value] : layer.over.items()) {
    if (value.is_null()) continue;
    Json& under = layer.under[key];
    const Layer below{under, child(layer.under_path, key), value, child(layer.over_path, key)};
    const std::string_view merged_by = merge_key(key);
    if (!merged_by.empty() && under.is_array() && value.is_array()) {
      lay_over_list(below, merged_by, false, written);
    } else {
      lay_over(below, written);
    }
  }
}

void lay_over_env(const Layer& layer, std::vector<Written>& written) {
  if (!layer.over.is_array()) return;
  if (!layer.under.is_array()) layer.under = Json::array();
  lay_over_list(layer, "name", true, written);
}

}  // namespace rollcall::launch::train_job
