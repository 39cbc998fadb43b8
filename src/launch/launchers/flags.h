#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/launch.h"
#include "launch/launchers/program.h"

namespace rollcall::launch {

/// A second spelling of a flag, and the one it is read under.
struct Alias {
  std::string_view spelled;
  std::string_view means;
};

/// The flags that a launcher's own parser knows, in the spelling with hyphens.
struct Grammar {
  std::string_view launcher;  ///< as a sentence names it
  std::span<const std::string_view> with_value;
  std::span<const std::string_view> without;
  std::span<const Alias> aliases = {};
};

/// The launcher's own flags in `words` from `first` on, up to the script it starts, by their spelling with hyphens. Of
/// a flag given twice the last counts (argparse). A flag that an open word may still replace is open itself; behind a
/// flag that the grammar does not have all are. `exec_form`: words are whole elements of command and args, so a flag
/// can be taken out by a patch. `rest` becomes the index of what the launcher starts; the words' number where that is
/// open.
std::map<std::string, Flag> flags_of(const std::vector<Word>& words, std::size_t first, const Grammar& grammar,
                                     bool exec_form, std::size_t* rest = nullptr);

}  // namespace rollcall::launch
