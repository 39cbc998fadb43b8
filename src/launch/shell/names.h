#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace rollcall::launch::shell {

/// How often each identifier stands in a script other than as an expansion (`$N`, `${N…`): as what is assigned, as an
/// argument, in arithmetic, in a comment. Linear in the size of the script.
std::map<std::string, std::size_t, std::less<>> mentions_in(std::string_view script);

}  // namespace rollcall::launch::shell
