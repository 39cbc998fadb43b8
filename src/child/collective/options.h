#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace rollcall::child {

/// The command line of `collective`.
struct CollectiveOptions {
  std::string library;
  int rank = 0;
  int nranks = 0;
  int gpu = 0;
  std::int64_t small_bytes = 0;
  std::int64_t large_bytes = 0;
  bool make_id = false;
  std::string unique_id;  ///< 128 bytes, decoded
};

/// An Error names the argument that is missing or wrong.
Result<CollectiveOptions> collective_options(std::span<const std::string_view> arguments);

/// Lower-case hex of an ncclUniqueId.
std::string hex(std::string_view bytes);

}  // namespace rollcall::child
