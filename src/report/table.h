#pragma once

#include <string>
#include <vector>

namespace rollcall::report {

using Row = std::vector<std::string>;

/// Columns aligned by display width, two spaces apart, no spaces at line ends. The last column is cut at `width` with
/// "…" (or
/// "..." without `unicode`). Rows shorter than the head have empty cells.
std::string table(const Row& head, const std::vector<Row>& rows, std::size_t width, bool unicode);

/// `text` in lines of at most `width` columns, broken at spaces; a word that is longer stands alone. Each line but the
/// first begins with `indent` spaces; the first is taken to begin there already. Ends without a newline.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace rollcall::report
