#pragma once

#include <functional>
#include <istream>
#include <string>
#include <vector>

#include "finding/forms.h"

namespace rollcall::cli {

/// Judges the inputs once; `in` is what `-` stands for.
using Judge = std::function<LintOutcome(std::istream& in)>;

struct Fixed {
  LintOutcome outcome;             ///< of what stands there now
  std::string standard;            ///< the fixed text of `-`; as it was when nothing could be written into it
  std::vector<std::string> notes;  ///< one line for each file that was written, and for each patch that was left out
  bool failed = false;             ///< a file could not be read or written
};

/// Writes the patches of the findings into their files, judges anew, and again, until none is left that can be written:
/// a patch may make room for another. Each file is replaced whole or left as it is.
Fixed fix_inputs(const Judge& judge, std::string standard);

}  // namespace rollcall::cli
