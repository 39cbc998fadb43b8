#pragma once

#include <chrono>
#include <cstdint>

#include "roll_call/roll.h"

/// How large and how long the collectives are, each with its reason. Deadlines run from the start of a child to its
/// result; spec.thresholds.deadline_percent scales them all.
namespace rollcall::roll_call {

/// 1,024 int32: fits the smallest of NCCL's buffers, so that what is timed is latency.
inline constexpr std::int64_t kSmallBytes = 4 * 1024;
/// Touches every channel (32 at most, in slices of 512 KiB and more), since NCCL 2.22 connects them only at their first
/// use; 1.3 ms at 100 GB/s, 0.1 s over 10 Gbit/s of TCP. Short of the peak, so figures are compared with each other,
/// never with those of 16 GB benchmarks.
inline constexpr std::int64_t kLargeBytes = 64 * 1024 * 1024;
/// A double moves real bytes over loopback, all ranks on the same few cores.
inline constexpr std::int64_t kSimulatedBytes = 1024 * 1024;

/// Proposed in probe-and-nccl 8.1 for 64-256 MiB within a node, whose children need seconds.
inline constexpr std::chrono::milliseconds kNodeDeadline{60'000};
/// Above NCCL's connect retries (59.5 s) and InfiniBand's (about 30 s), whose errors name the cause …
inline constexpr std::chrono::milliseconds kJobDeadline{90'000};
/// … and ranks check in with one root one after another.
inline constexpr std::chrono::milliseconds kJobPerRank{150};
/// Above InfiniBand's retries; a connection that is dropped is named by the mesh.
inline constexpr std::chrono::milliseconds kPairDeadline{45'000};
/// For loading a library from an image that is streamed, and one call that takes milliseconds.
inline constexpr std::chrono::milliseconds kIdDeadline{60'000};
/// Each child calls cuInit anew. The Gpu stage has measured it, one process at a time; all GPUs at once take longer.
inline constexpr int kInitFactor = 3;
inline constexpr std::chrono::milliseconds kInitLeast{10'000};
inline constexpr std::chrono::milliseconds kInitMost{120'000};
/// SIGKILL 2 s after the deadline, and the way back.
inline constexpr std::chrono::milliseconds kAnswerMargin{15'000};
/// A child past its deadline whose steps still advance is slow, not dead: the probe lets it go on for as long again.
inline constexpr int kSlowFactor = 2;

/// A double stands in for a library on some node.
bool simulated(const Roll& roll);
/// Bytes of the large message.
std::int64_t large_bytes(const Roll& roll);
/// A child's deadline: `base`, scaled, and what cuInit needs here.
std::chrono::milliseconds child_deadline(const Roll& roll, std::chrono::milliseconds base);
/// `base` scaled by the policy's deadlinePercent.
std::chrono::milliseconds scaled(const Roll& roll, std::chrono::milliseconds base);

}  // namespace rollcall::roll_call
