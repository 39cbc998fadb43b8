#include "cli/schema/nearest.h"

#include <algorithm>
#include <numeric>

namespace rollcall::cli {
namespace {

/// Words are fields and ids; what is longer is none of them, and the effort grows with the square.
constexpr std::size_t kLongest = 100;

/// Letters to add, to take out or to change.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, changed});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view written, const std::vector<std::string>& words) {
  if (written.size() > kLongest) return {};
  std::string found;
  std::size_t least = written.size() / 3 + 1;
  for (const std::string& word : words) {
    const std::size_t d = distance(written, word);
    if (d >= least) continue;
    least = d;
    found = word;
  }
  return found;
}

}  // namespace rollcall::cli
