#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace rollcall::probe {

/// The file's content, at most `limit` bytes. A larger file, or one that cannot be read, is an Error that names the
/// path; Error.code is errno's name, or EFBIG.
Result<std::string> read_file(const std::string& path, std::size_t limit);

/// Writes `content` to an existing or new file, whole or with an Error that names the path.
Status write_file(const std::string& path, const std::string& content);

}  // namespace rollcall::probe
