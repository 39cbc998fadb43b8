#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "launch/document/field.h"

/// JSON patches (RFC 6902) as text, for a field path.
namespace rollcall::launch {

std::string replace_patch(const std::string& path, long long value);
/// Adds an element to the end of each list; a list that is absent is made. What holds the list must be there.
std::string append_patch(const std::vector<std::pair<Field, nlohmann::json>>& elements);
std::string remove_patch(const std::string& path);
/// Takes out `count` neighbours of a list, of which `path` is the first.
std::string remove_patch(const std::string& path, int count);
/// Also of an element of a list, whose neighbours stay where they are.
std::string replace_patch(const std::string& path, const std::string& text);
/// A member that may be there or not; before the element of a list at `path`, which moves on by one.
std::string add_patch(const std::string& path, const nlohmann::json& value);
std::string move_patch(const std::string& from, const std::string& to);

}  // namespace rollcall::launch
