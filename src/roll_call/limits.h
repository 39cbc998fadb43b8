#pragma once

#include <cstddef>
#include <cstdint>

/// Limits of the texts, numbers and lists in a message. Both sides keep them: the writer cuts, the reader refuses. The
/// fullest answer stays under kMaxAnswerBytes (tests/roll_call/messages_test.cpp builds it).
namespace rollcall::roll_call::limits {

inline constexpr int kDepth = 8;                ///< an answer needs 5
inline constexpr std::size_t kName = 253;       ///< a DNS name, the longest kind of name Kubernetes has
inline constexpr std::size_t kUid = 64;         ///< a UUID is 36
inline constexpr std::size_t kNonce = 64;       ///< 16 or 32 bytes in hex
inline constexpr std::size_t kAddress = 64;     ///< IPv6 with a zone is at most 62
inline constexpr std::size_t kUniqueId = 256;   ///< 128 bytes of ncclUniqueId in hex
inline constexpr std::size_t kShort = 128;      ///< a version, a build id, an error's name
inline constexpr std::size_t kDetail = 256;     ///< words for a person
inline constexpr std::size_t kEdgeDetail = 96;  ///< errno's words, kMaxEdges times
inline constexpr std::size_t kPath = 256;       ///< longer library paths than any image has
inline constexpr std::size_t kEnvName = 64;     ///< the longest NCCL name has 44
inline constexpr std::size_t kEnvValue = 384;   ///< lists of interfaces and HCAs; nothing longer is compared
inline constexpr std::size_t kMessage = 8192;   ///< the desk's words in a probe's log
inline constexpr std::size_t kEnv = 96;         ///< NCCL has 230 variables; nobody sets half of them
inline constexpr std::size_t kConfFiles = 16;   ///< NCCL reads two
inline constexpr std::size_t kLibraries = 16;   ///< copies of libnccl, torch, cudart in one image
inline constexpr std::size_t kInterfaces = 32;  ///< 8 RDMA ports with their VFs, storage, lo
inline constexpr std::size_t kInterfaceAddresses = 8;
inline constexpr std::size_t kPorts = 16;  ///< kMeshPorts with room for another version
inline constexpr std::int64_t kMaxInt = 1'000'000'000;
inline constexpr std::int64_t kMaxBytes = std::int64_t{1} << 60;

}  // namespace rollcall::roll_call::limits
