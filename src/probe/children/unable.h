#pragma once

#include <string>
#include <string_view>

#include "probe/children/process.h"

namespace rollcall::probe {

/// Why execve refused `path` with `error`, in words that say who can change it: no glibc in the image, another
/// architecture, a volume mounted noexec, a probe image without the program.
std::string why_not_started(const std::string& path, int error);

/// Empty, or why the image's own loader ended the program before its first line: an older glibc, a missing library.
std::string why_not_loaded(const End& end, std::string_view standard_error);

/// The last line that is not empty, without control characters, of at most `limit` bytes.
std::string last_line(std::string_view text, std::size_t limit);

}  // namespace rollcall::probe
