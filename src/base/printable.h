#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Text of others made fit to show. Safe from any thread.
namespace rollcall {

/// `text` with control characters (C0, DEL, C1) and marks that change the direction of text replaced by '?', so that
/// nothing a pod says can reach a terminal as an escape sequence or read as something else. Bytes that are not UTF-8
/// become '?' too.
std::string printable(std::string_view text);

/// `text` made printable and at most `max` bytes long, never cut within a character.
std::string clipped(std::string_view text, std::size_t max);

/// Columns that printable text takes on a terminal: one a character, two for East Asian wide ones, none for combining
/// marks.
std::size_t display_width(std::string_view text);

}  // namespace rollcall
