#include "launch/patch.h"

#include "launch/document/path.h"

namespace rollcall::launch {
namespace {

using Json = nlohmann::ordered_json;

/// A path can hold any key of a manifest, also bytes that are no UTF-8.
std::string text_of(const Json& operations) { return operations.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string replace_patch(const std::string& path, long long value) {
  return text_of(Json::array({{{"op", "replace"}, {"path", pointer_of(path)}, {"value", value}}}));
}

std::string append_patch(const std::vector<std::pair<Field, nlohmann::json>>& elements) {
  Json operations = Json::array();
  for (const auto& [list, element] : elements) {
    const std::string path = pointer_of(list.path());
    if (list.is_array()) {
      operations.push_back({{"op", "add"}, {"path", path + "/-"}, {"value", Json(element)}});
    } else {
      operations.push_back({{"op", "add"}, {"path", path}, {"value", Json::array({Json(element)})}});
    }
  }
  return text_of(operations);
}

std::string remove_patch(const std::string& path) { return remove_patch(path, 1); }

std::string remove_patch(const std::string& path, int count) {
  Json operations = Json::array();
  for (int i = 0; i < count; ++i) operations.push_back({{"op", "remove"}, {"path", pointer_of(path)}});
  return text_of(operations);
}

std::string replace_patch(const std::string& path, const std::string& text) {
  return text_of(Json::array({{{"op", "replace"}, {"path", pointer_of(path)}, {"value", text}}}));
}

std::string add_patch(const std::string& path, const nlohmann::json& value) {
  return text_of(Json::array({{{"op", "add"}, {"path", pointer_of(path)}, {"value", Json(value)}}}));
}

std::string move_patch(const std::string& from, const std::string& to) {
  return text_of(Json::array({{{"op", "move"}, {"from", pointer_of(from)}, {"path", pointer_of(to)}}}));
}

}  // namespace rollcall::launch
