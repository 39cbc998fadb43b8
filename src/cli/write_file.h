#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace rollcall::cli {

/// Puts `text` in the place of what `file` holds, all of it or nothing: a new file beside it is renamed. Mode bits
/// stay; a symbolic link stays and what it names is replaced; what is no regular file (/dev/stderr, a pipe) is written
/// to.
Status write_file(const std::string& file, std::string_view text);

}  // namespace rollcall::cli
