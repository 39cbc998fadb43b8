#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace rollcall::cli {

/// A value as YAML on one line, as somebody would write it: strings without quotes where YAML reads them back as they
/// are.
std::string inline_yaml(const nlohmann::json& value);

/// `key: value` by indentation, with line feeds; the first line has no indentation, those below have `indent` blanks.
std::string block_entry(const std::string& key, const nlohmann::json& value, std::size_t indent);

/// What stands behind the `- ` of a list's entry whose dash has `indent` blanks before it, with the line feed.
std::string block_item(const nlohmann::json& value, std::size_t indent);

}  // namespace rollcall::cli
