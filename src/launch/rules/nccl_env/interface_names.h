#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rollcall::launch::rules {

/// The value of NCCL_SOCKET_IFNAME: names, or beginnings of names, of interfaces to take or to pass over.
struct InterfaceNames {
  bool except = false;  ///< `^`: all but these
  bool exact = false;   ///< `=`: whole names, not beginnings
  std::vector<std::string> names;
};

/// As NCCL reads it: the signs count at the front of the whole value only, blanks belong to the names.
InterfaceNames interface_names(std::string_view text);

/// The same value in the form that NCCL would understand: no blanks, signs at the front only.
std::string tidied(std::string_view text);

}  // namespace rollcall::launch::rules
