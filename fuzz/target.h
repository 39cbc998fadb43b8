#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

/// A fuzz target is one function of bytes, `fuzz_NAME`, that ends the process when something that must hold does not.
/// Built with libFuzzer (preset fuzz, dev/fuzz) it is a program of its own; the unit tests run all targets over their
/// seeds and over a few thousand fixed mutations of them (replay_test.cpp).
namespace rollcall::fuzz {

/// Like assert(), in every build: what must hold, in words.
inline void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace rollcall::fuzz

#ifdef ROLLCALL_FUZZ
#define ROLLCALL_FUZZ_TARGET(name)                                                    \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    rollcall::fuzz::fuzz_##name(rollcall::fuzz::text_of(data, size));                 \
    return 0;                                                                         \
  }                                                                                   \
  static_assert(true, "a semicolon follows")
#else
#define ROLLCALL_FUZZ_TARGET(name) static_assert(true, "a semicolon follows")
#endif
