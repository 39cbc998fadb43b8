#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "base/result.h"

namespace rollcall::cli {

/// The files that `names` stand for, in order: a file is itself, `-` is standard input, a directory every *.yaml, *.yml
/// and
/// *.json below it by name (symbolic links to directories are not followed). An Error names what is not there.
Result<std::vector<std::string>> files_of(const std::string& name);

/// The whole text of a file, or of `in` for `-`. Reads no more than a text may have; an Error says why not.
Result<std::string> read_text(const std::string& file, std::istream& in);

}  // namespace rollcall::cli
