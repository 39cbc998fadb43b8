#pragma once

/// The doubles are built with hidden symbols; what a double exports carries this.
#define ROLLCALL_EXPORT extern "C" __attribute__((visibility("default")))

/// Every double announces itself: the child looks for this symbol and marks what it reports as simulated. It names the
/// scenario file, or says that there is none.
#define ROLLCALL_DOUBLE_ANNOUNCES                                                                                   \
  ROLLCALL_EXPORT const char* rollcall_double;                                                                      \
  const char* rollcall_double = "no scenario: a healthy machine";                                                   \
  namespace {                                                                                                       \
  [[gnu::constructor]] void announce() {                                                                            \
    if (const char* file = std::getenv("ROLLCALL_SCENARIO"); file != nullptr && *file != 0) rollcall_double = file; \
  }                                                                                                                 \
  }
