#include "cli/schema/nearest.h"

#include "base/letters_apart.h"

namespace rollcall::cli {
namespace {

/// Words are fields and ids; what is longer is none of them, and the effort grows with the square.
constexpr std::size_t kLongest = 100;

}  // namespace

std::string nearest(std::string_view written, const std::vector<std::string>& words) {
  if (written.size() > kLongest) return {};
  std::string found;
  std::size_t least = written.size() / 3 + 1;
  for (const std::string& word : words) {
    const std::size_t d = letters_apart(written, word, LetterCase::counts);
    if (d >= least) continue;
    least = d;
    found = word;
  }
  return found;
}

}  // namespace rollcall::cli
