#include "probe/children/output.h"

#include <openssl/evp.h>

#include <algorithm>

#include "base/printable.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

/// Longest line that is shown whole: an answer carries no longer words (roll_call/limits.h).
constexpr std::size_t kShown = 240;
/// Of a longer line this much is shown, and what tells it from others beside it.
constexpr std::size_t kBeginning = 180;
/// Hexadecimal digits of the digest that are shown: 48 bits tell any two outputs apart.
constexpr std::size_t kDigits = 12;
constexpr std::size_t kEnd = 4096;

using Digest = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

bool blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

/// Its beginning as it came, the rest as a digest. Blanks are held back until something follows them.
struct Output::Line {
  std::string beginning;
  std::string blanks;
  std::uint64_t size = 0;
  Digest digest{nullptr, &EVP_MD_CTX_free};

  void add(std::string_view bytes) {
    const auto words_end = static_cast<std::size_t>(
        std::find_if(bytes.rbegin(), bytes.rend(), [](char c) { return !blank(c); }).base() - bytes.begin());
    if (words_end > 0) {
      keep(blanks);
      blanks.clear();
      keep(bytes.substr(0, words_end));
    }
    // Blanks without end are cut rather than kept.
    blanks += bytes.substr(words_end, kEnd - blanks.size());
  }

  void keep(std::string_view bytes) {
    size += bytes.size();
    const auto shown = std::min(kEnd - beginning.size(), bytes.size());
    beginning += bytes.substr(0, shown);
    bytes.remove_prefix(shown);
    if (bytes.empty()) return;
    if (!digest) {
      digest.reset(EVP_MD_CTX_new());
      EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr);
      EVP_DigestUpdate(digest.get(), beginning.data(), beginning.size());
    }
    EVP_DigestUpdate(digest.get(), bytes.data(), bytes.size());
  }

  std::string sum() const {
    unsigned char bytes[EVP_MAX_MD_SIZE] = {};
    unsigned int length = 0;
    if (digest) {
      // Of a copy: the line may go on.
      const Digest copy(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
      EVP_MD_CTX_copy_ex(copy.get(), digest.get());
      EVP_DigestFinal_ex(copy.get(), bytes, &length);
    } else {
      EVP_Digest(beginning.data(), beginning.size(), bytes, &length, EVP_sha256(), nullptr);
    }
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string digits;
    for (std::size_t i = 0; i < kDigits / 2; ++i) {
      digits += kHex[bytes[i] >> 4];
      digits += kHex[bytes[i] & 15];
    }
    return digits;
  }

  std::string shown() const {
    std::string words = beginning;
    std::replace(words.begin(), words.end(), '\t', ' ');
    if (size <= kShown && printable(words) == words) return words;
    return text(clipped(words, kBeginning), " … (", size, " bytes, sha256 ", sum(), ")");
  }
};

Output::Output() : line_(std::make_unique<Line>()) {}
Output::~Output() = default;

void Output::take(std::string_view piece) {
  end_ += piece.substr(piece.size() - std::min(piece.size(), 2 * kEnd));
  if (end_.size() > 2 * kEnd) end_.erase(0, end_.size() - kEnd);
  while (!piece.empty()) {
    // Progress bars end their lines with a carriage return.
    const auto end = piece.find_first_of("\r\n");
    line_->add(piece.substr(0, end));
    if (end == std::string_view::npos) return;
    piece.remove_prefix(end + 1);
    if (line_->size > 0) {
      last_ = std::move(line_);
      line_ = std::make_unique<Line>();
    } else {
      line_->blanks.clear();
    }
  }
}

std::string Output::last_line() const {
  if (line_->size > 0) return line_->shown();
  return last_ ? last_->shown() : "";
}

std::string Output::end() const {
  std::string_view end(end_);
  if (end.size() > kEnd) end.remove_prefix(end.size() - kEnd);
  while (!end.empty() && (end.back() == '\n' || end.back() == '\r' || blank(end.back()))) end.remove_suffix(1);
  return std::string(end);
}

}  // namespace rollcall::probe
