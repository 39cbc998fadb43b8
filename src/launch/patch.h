#pragma once

#include <string>

/// JSON patches (RFC 6902) as text, for a field path.
namespace rollcall::launch {

std::string replace_patch(const std::string& path, long long value);
std::string remove_patch(const std::string& path);
/// Takes out `count` neighbours of a list, of which `path` is the first.
std::string remove_patch(const std::string& path, int count);
std::string move_patch(const std::string& from, const std::string& to);

}  // namespace rollcall::launch
