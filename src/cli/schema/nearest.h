#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rollcall::cli {

/// The word of `words` that somebody may have meant by `written`: at most a third of its letters apart. Empty when none
/// is near.
std::string nearest(std::string_view written, const std::vector<std::string>& words);

}  // namespace rollcall::cli
