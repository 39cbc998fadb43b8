#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rollcall::probe {

/// Names in root+directory that begin with `prefix` and end with `suffix`, sorted; none when it cannot be read. Looks
/// at 10,000 entries at most: a fat image has under 1,000 packages in one directory.
std::vector<std::string> names_in(const std::string& root, const std::string& directory, std::string_view prefix,
                                  std::string_view suffix);

}  // namespace rollcall::probe
