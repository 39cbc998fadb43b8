#include "launch/document/pieces.h"

#include <algorithm>

#include "launch/document/limits.h"

namespace rollcall::launch {
namespace {

constexpr std::size_t kMarker = 3;
/// A document of this much may still be a lone `null` with a comment: it is read to tell.
constexpr std::size_t kShort = 64;

/// Whether `line` begins with `marker` and nothing but blanks, or nothing, stands right behind it.
bool begins_with(std::string_view line, std::string_view marker) {
  if (!line.starts_with(marker)) return false;
  return line.size() == marker.size() ||
         std::string_view(" \t\r\n").find(line[marker.size()]) != std::string_view::npos;
}

int newlines(std::string_view text) { return static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

/// What stands behind blanks, comments and the marker.
std::string_view body_of(std::string_view text) {
  if (begins_with(text, "---")) text.remove_prefix(kMarker);
  for (;;) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    text.remove_prefix(first);
    if (text[0] != '#') return text;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

int count(const Piece& piece) {
  int documents = 0;
  const Status read = read_piece(piece, [&documents](const Document&) { ++documents; });
  return read.ok() ? documents : documents + 1;
}

}  // namespace

void Pieces::feed(std::string_view block) {
  buffer_.erase(0, start_);
  scanned_ -= start_;
  start_ = 0;
  buffer_.append(block);
}

std::optional<Piece> Pieces::next() {
  for (;;) {
    const std::optional<std::size_t> end = end_of_piece();
    if (!end) {
      forget_what_is_too_long();
      return std::nullopt;
    }
    Piece piece = take(*end);
    if (piece.documents > 0) return piece;
  }
}

std::optional<std::size_t> Pieces::end_of_piece() {
  const std::string_view text = buffer_;
  if (!begun_) {
    if (text.size() < 2 && !finished_) return std::nullopt;
    begun_ = true;
    whole_ = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  }
  while (!whole_ && scanned_ < text.size()) {
    const std::string_view line = text.substr(scanned_);
    // A line is looked at once, whole: what it says must not hang on how the blocks fell.
    const std::size_t newline = line.find('\n');
    if (newline == std::string_view::npos && !finished_) return std::nullopt;
    if (!in_line_) {
      if (line[0] == '%') directive_ = several_ = true;
      if (begins_with(line, "...")) several_ = true;
      if (begins_with(line, "---")) {
        if (!directive_ && (scanned_ > start_ || too_long_)) return scanned_;
        directive_ = false;
      }
    }
    if (newline == std::string_view::npos) break;
    in_line_ = false;
    scanned_ += newline + 1;
  }
  if (!finished_ || (start_ == text.size() && !too_long_)) return std::nullopt;
  return text.size();
}

void Pieces::forget_what_is_too_long() {
  if (buffer_.size() - start_ <= kMaxDocumentBytes) return;
  too_long_ = true;
  in_line_ = true;  // of the last line, nothing says any more how it began
  lines_forgotten_ += newlines(std::string_view(buffer_).substr(start_));
  buffer_.clear();
  start_ = scanned_ = 0;
}

Piece Pieces::take(std::size_t end) {
  const std::string_view text = std::string_view(buffer_).substr(start_, end - start_);
  Piece piece;
  piece.line = line_;
  piece.document = document_;
  piece.too_long = too_long_ || text.size() > kMaxDocumentBytes;
  if (piece.too_long) {
    piece.documents = 1;
  } else {
    piece.text = text;
    const std::string_view body = body_of(text);
    if (!body.empty()) piece.documents = several_ || whole_ || body.size() <= kShort ? count(piece) : 1;
  }
  document_ += piece.documents;
  line_ += lines_forgotten_ + newlines(text);
  lines_forgotten_ = 0;
  too_long_ = several_ = directive_ = false;
  start_ = scanned_ = end;
  return piece;
}

}  // namespace rollcall::launch
