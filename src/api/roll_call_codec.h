#pragma once

#include "api/roll_call.h"
#include "api/training_job_codec.h"

/// Private to api/.
namespace rollcall::api {

std::optional<VerdictKind> verdict_kind_from(std::string_view text);

namespace codec {
template <>
struct EnumText<VerdictKind> {
  static constexpr const char* all = "Released, Ended";
  static std::optional<VerdictKind> from(std::string_view text) { return verdict_kind_from(text); }
};
template <>
struct EnumText<EndReason> {
  static constexpr const char* all =
      "PodsNotStarted, HoldExpired, JobsOwnCause, PodLost, AddressChanged, TrainerNotStarted, Suspended, JobDeleted, "
      "JobFinished";
  static std::optional<EndReason> from(std::string_view text) { return end_reason_from(text); }
};
}  // namespace codec

template <typename Io>
void fields(Io& io, JobReference& v) {
  io("apiVersion", v.api_version);
  io("kind", v.kind);
  io("name", v.name);
  io("uid", v.uid);
}

template <typename Io>
void fields(Io& io, RosterEntry& v) {
  io.required("nodeRank", v.node_rank);
  io.required("pod", v.pod);
  io.required("uid", v.uid);
}

template <typename Io>
void fields(Io& io, Threshold& v) {
  io.required("value", v.value);
  io("policy", v.policy);
}

template <typename Io>
void fields(Io& io, Thresholds& v) {
  io("minSharedMemoryMebibytes", v.min_shared_memory_mebibytes);
  io("minOpenFiles", v.min_open_files);
  io("minBusBandwidthGigabytes", v.min_bus_bandwidth_gigabytes);
  io("deadlinePercent", v.deadline_percent);
}

template <typename Io>
void fields(Io& io, RollCallSpec& v) {
  io.required("job", v.job);
  io.required("attempt", v.attempt);
  io("nprocPerNode", v.nproc_per_node);
  io("masterPort", v.master_port);
  io("hostNetwork", v.host_network);
  io("gpusPerPod", v.gpus_per_pod);
  io("gpuResource", v.gpu_resource);
  io("rdmaResource", v.rdma_resource);
  io("partialEnvironment", v.partial_environment);
  io("settings", v.settings);
  io("thresholds", v.thresholds);
  io("masterAddr", v.master_addr);
  io.required("roster", v.roster);
}

template <typename Io>
void fields(Io& io, Verdict& v) {
  io.required("kind", v.kind);
  io("reason", v.reason);
  io("message", v.message);
  io("at", v.at);
  io("by", v.by);
  io("overridden", v.overridden);
}

template <typename Io>
void fields(Io& io, End& v) {
  io.required("reason", v.reason);
  io("message", v.message);
  io("at", v.at);
}

template <typename Io>
void fields(Io& io, NodeFinding& v) {
  io("rule", v.rule);
  io("severity", v.severity);
  io("message", v.message);
  io("nodeRanks", v.node_ranks);
  io("owner", v.owner);
}

template <typename Io>
void fields(Io& io, StageLine& v) {
  io("name", v.name);
  io("state", v.state);
  io("reason", v.reason);
  io("startedAt", v.started_at);
  io("seconds", v.seconds);
}

template <typename Io>
void fields(Io& io, RollNode& v) {
  io("nodeRank", v.node_rank);
  io("ranks", v.ranks);
  io("pod", v.pod);
  io("node", v.node);
  io("address", v.address);
  io("state", v.state);
  io("detail", v.detail);
  io("stages", v.stages);
}

template <typename Io>
void fields(Io& io, ReportGroup& v) {
  io("what", v.what);
  io("value", v.value);
  io("count", v.count);
  io("minority", v.minority);
  io("nodeRanks", v.node_ranks);
}

template <typename Io>
void fields(Io& io, ReportPair& v) {
  io("from", v.from);
  io("to", v.to);
  io("state", v.state);
  io("milliseconds", v.milliseconds);
  io("gigabytes", v.gigabytes);
  io("text", v.text);
}

template <typename Io>
void fields(Io& io, ReportMoment& v) {
  io("kind", v.kind);
  io("what", v.what);
  io("at", v.at);
  io("seconds", v.seconds);
  io("nodeRank", v.node_rank);
}

template <typename Io>
void fields(Io& io, Advice& v) {
  io("what", v.what);
  io("since", v.since);
  io("cost", v.cost);
  io("owner", v.owner);
  io("nextCommand", v.next_command);
  io("overrideSafe", v.override_safe);
}

template <typename Io>
void fields(Io& io, Report& v) {
  io("simulated", v.simulated);
  io("stages", v.stages);
  io("nodes", v.nodes);
  io("states", v.states);
  io("nodeBusGigabytes", v.node_bus_gbytes);
  io("jobBusGigabytes", v.job_bus_gbytes);
  io("matrix", v.matrix);
  io("pairs", v.pairs);
  io("groups", v.groups);
  io("timeline", v.timeline);
  io("transport", v.transport);
  io("gpus", v.gpus);
  io("advice", v.advice);
}

template <typename Io>
void fields(Io& io, RollCallStatus& v) {
  io("stage", v.stage);
  io("round", v.round);
  io("message", v.message);
  io("masterAddr", v.master_addr);
  io("answered", v.answered);
  io("startedAt", v.started_at);
  io("heldSince", v.held_since);
  io("nextRoundAt", v.next_round_at);
  io("heldSeconds", v.held_seconds);
  io("stages", v.stages);
  io("nodes", v.nodes);
  io("findings", v.findings);
  io("verdict", v.verdict);
  io("end", v.end);
  io("report", v.report);
}

}  // namespace rollcall::api
