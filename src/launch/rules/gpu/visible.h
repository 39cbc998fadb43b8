#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rollcall::launch::rules {

/// The numbers of a list of devices like `0,1`; nullopt for what names devices otherwise (`GPU-8932f937`, `all`).
std::optional<std::vector<int>> device_numbers(const std::string& text);

}  // namespace rollcall::launch::rules
