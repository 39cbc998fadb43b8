#pragma once

#include <array>
#include <chrono>

/// How long the desk waits for what, each with its reason. Deadlines of a step run from the moment the step was
/// ordered.
namespace rollcall::roll_call {

using namespace std::chrono_literals;

/// Reading files of an image that is streamed can fault in 400 MB.
inline constexpr auto kFactsDeadline = 60s;
/// The probe's child has 120 s for cuInit (without persistence mode eight GPUs are initialised one after another) and
/// 30 s for the rest; one whose steps still advance gets as long again; then SIGKILL and the way back.
inline constexpr auto kGpuDeadline = 2 * 150s + 20s;
/// As kFactsDeadline, for libnccl and what it needs, twice for the same reason.
inline constexpr auto kNcclDeadline = 2 * 60s + 20s;
/// What the probe gives rollCall.setup (probe/children/setup.cpp) and what it waits for a process that it has killed.
/// The first step of a round that needs the environment makes it.
inline constexpr auto kSetupDeadline = 30s;
inline constexpr auto kKill = 2s;
/// A bind answers at once; the rest is the way to the desk and back.
inline constexpr auto kListenDeadline = 15s;
/// One connect of at most 3 s, tried again once, and the way back.
inline constexpr auto kReachDeadline = 15s;
/// What the probe allows itself for all peers: 3 s a connect, at most 16 in flight, 10 s + nodes x 20 ms in all …
inline constexpr auto kMeshBase = 10s;
inline constexpr auto kMeshPerNode = 20ms;
/// … and for its answer to come back.
inline constexpr auto kMeshMargin = 10s;
/// The file shows an annotation 0.1 to 0.2 s after the patch; a kubelet that needs a minute does not see it at all.
inline constexpr auto kSeenDeadline = 60s;
/// A probe asks at least every 20 s (a held reply); three misses are silence.
inline constexpr auto kMute = 60s;
/// Pauses before the next round, the last one for ever: a person needs minutes, a network seconds.
inline constexpr std::array kPauses{15s, 30s, 60s, 120s};
/// How often words that age (a hold's cost, how long someone is waited for) are made anew: 2,880 writes a day at most.
inline constexpr auto kWordsRefresh = 30s;
/// Above so many nodes words are not made anew with every answer, for they look at all nodes …
inline constexpr int kWordsAtOnce = 512;
/// … but as often as the status may be written.
inline constexpr auto kWordsPause = 1s;
/// Pause before a failed write of the verdict is asked for again, doubled up to the second value.
inline constexpr auto kVerdictPause = 1s;
inline constexpr auto kVerdictPauseMax = 8s;

}  // namespace rollcall::roll_call
