#include "base/letters_apart.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace rollcall {

std::size_t letters_apart(std::string_view a, std::string_view b, LetterCase letter_case) {
  const auto folded = [letter_case](char c) {
    return letter_case == LetterCase::counts_as_nothing && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (folded(a[i - 1]) == folded(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace rollcall
