#pragma once

#include <cstddef>

/// What a text may cost its reader. Each is far above what people write and far below what would hurt.
namespace rollcall::launch {

/// Bytes of one document. The API server takes objects of 3 MiB; a List of what a cluster has holds many of them. A
/// text may have any number of documents, for no more than a few are in memory at once.
inline constexpr std::size_t kMaxDocumentBytes = 64u << 20;
/// A pod template nests about 12 deep; every walk over a document recurses.
inline constexpr int kMaxDepth = 64;
/// Values written in one document. A pod as the API server returns it has about 300, so this is a List of 3,000 pods;
/// each takes about 300 bytes of memory with its place.
inline constexpr std::size_t kMaxNodes = 1'000'000;
/// Values in one document that anchors and aliases stand for besides: 330 bytes of nested aliases stand for 12 million.
inline constexpr std::size_t kMaxRepeated = 200'000;
/// Keys written twice that are told of; a person needs the first few.
inline constexpr std::size_t kMaxDuplicates = 100;

}  // namespace rollcall::launch
