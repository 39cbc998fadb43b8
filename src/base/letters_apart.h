#pragma once

#include <cstddef>
#include <string_view>

namespace rollcall {

enum class LetterCase { counts, counts_as_nothing };

/// Letters to change, add or take away between two names. The effort is the product of their lengths: the caller bounds
/// them.
std::size_t letters_apart(std::string_view a, std::string_view b, LetterCase letter_case);

}  // namespace rollcall
