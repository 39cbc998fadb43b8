#pragma once

#include "api/meta_codec.h"
#include "api/training_job.h"

/// Private to api/. TrainingJobSpec is read by hand in training_job.cpp: `auto` and spec.rendezvous have no field of
/// their own.
namespace rollcall::api {

namespace codec {
template <>
struct EnumText<RollCallMode> {
  static constexpr const char* all = "Enforce, Observe, Off";
  static std::optional<RollCallMode> from(std::string_view text) { return roll_call_mode_from(text); }
};
template <>
struct EnumText<NcclSource> {
  static constexpr const char* all = "Job, Bundled";
  static std::optional<NcclSource> from(std::string_view text) { return nccl_source_from(text); }
};
}  // namespace codec

template <typename Io>
void fields(Io& io, UserCheck& v) {
  io.required("name", v.name);
  io.required("command", v.command);
  io("compare", v.compare);
  io("deadlineSeconds", v.deadline_seconds);
}

template <typename Io>
void fields(Io& io, RollCallSettings& v) {
  io("mode", v.mode);
  io("waitForPodsSeconds", v.wait_for_pods_seconds);
  io("timeoutSeconds", v.timeout_seconds);
  io("retries", v.retries);
  io("holdSeconds", v.hold_seconds);
  io("nccl", v.nccl);
  io("setup", v.setup);
  io("checks", v.checks);
}

template <typename Io>
void fields(Io& io, NodeLine& v) {
  io("nodeRank", v.node_rank);
  io("ranks", v.ranks);
  io("node", v.node);
  io("pod", v.pod);
  io("state", v.state);
}

template <typename Io>
void fields(Io& io, TrainingJobStatus& v) {
  io("observedGeneration", v.observed_generation);
  io("phase", v.phase);
  io("message", v.message);
  io("attempt", v.attempt);
  io("round", v.round);
  io("retriesUsed", v.retries_used);
  io("startFailures", v.start_failures);
  io("nextAttemptAt", v.next_attempt_at);
  io("heldSince", v.held_since);
  io("releasedAt", v.released_at);
  io("answered", v.answered);
  io("masterAddr", v.master_addr);
  io("succeeded", v.succeeded);
  io("firstReleasedAt", v.first_released_at);
  io("suspendedSeconds", v.suspended_seconds);
  io("startTime", v.start_time);
  io("completionTime", v.completion_time);
  io("nodes", v.nodes);
  io("conditions", v.conditions);
}

}  // namespace rollcall::api
