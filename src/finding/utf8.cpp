#include "finding/utf8.h"

#include <nlohmann/json.hpp>

namespace rollcall {

std::string valid_utf8(std::string_view text) {
  using Json = nlohmann::json;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

}  // namespace rollcall
