#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rollcall::probe {

/// Paths that the loader's cache (`ld.so.cache`, glibc's format 1.1) gives for libraries whose name begins with
/// `prefix`. Bytes that do not fit the format give no paths.
std::vector<std::string> cached_paths(std::string_view cache, std::string_view prefix);

}  // namespace rollcall::probe
