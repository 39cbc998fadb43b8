#pragma once

#include <cstddef>

/// What a text may cost its reader. Each is far above what people write and far below what would hurt.
namespace rollcall::launch {

/// The API server takes objects of 3 MiB; a chart's rendered output has many of them.
inline constexpr std::size_t kMaxTextBytes = 32u << 20;
/// A pod template nests about 12 deep; every walk over a document recurses.
inline constexpr int kMaxDepth = 64;
/// Values in one document, those that aliases repeat counted each time: 330 bytes of nested aliases stand for 12
/// million. A pod as the API server returns it has about 300.
inline constexpr std::size_t kMaxNodes = 200'000;
/// Keys written twice that are told of; a person needs the first few.
inline constexpr std::size_t kMaxDuplicates = 100;

}  // namespace rollcall::launch
