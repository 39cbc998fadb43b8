#include "api/roll_call.h"

#include "api/roll_call_codec.h"

namespace rollcall::api {

std::string_view to_string(VerdictKind kind) { return kind == VerdictKind::Released ? "Released" : "Ended"; }

std::optional<VerdictKind> verdict_kind_from(std::string_view text) {
  if (text == "Released") return VerdictKind::Released;
  if (text == "Ended") return VerdictKind::Ended;
  return std::nullopt;
}

std::string_view to_string(EndReason reason) {
  switch (reason) {
    case EndReason::PodsNotStarted:
      return "PodsNotStarted";
    case EndReason::HoldExpired:
      return "HoldExpired";
    case EndReason::JobsOwnCause:
      return "JobsOwnCause";
    case EndReason::PodLost:
      return "PodLost";
    case EndReason::AddressChanged:
      return "AddressChanged";
    case EndReason::TrainerNotStarted:
      return "TrainerNotStarted";
    case EndReason::Suspended:
      return "Suspended";
    case EndReason::JobDeleted:
      return "JobDeleted";
    case EndReason::JobFinished:
      return "JobFinished";
  }
  return "PodLost";
}

std::optional<EndReason> end_reason_from(std::string_view text) {
  using enum EndReason;
  for (const auto reason : {PodsNotStarted, HoldExpired, JobsOwnCause, PodLost, AddressChanged, TrainerNotStarted,
                            Suspended, JobDeleted, JobFinished}) {
    if (text == to_string(reason)) return reason;
  }
  return std::nullopt;
}

std::string roll_call_name(const std::string& job, int attempt) { return "tj-" + job + "-" + std::to_string(attempt); }

Result<RollCall> roll_call_from(const nlohmann::json& object) {
  RollCall roll_call;
  std::optional<Error> error;
  codec::Reader top(object, "", error);
  top.required("metadata", roll_call.meta);
  top.required("spec", roll_call.spec);
  top("status", roll_call.status);
  if (!error && roll_call.spec.attempt < 1) {
    error = Error{"spec.attempt: " + std::to_string(roll_call.spec.attempt) + ": attempts count from 1", "Invalid"};
  }
  if (error) return *error;
  return roll_call;
}

nlohmann::json to_json(const RollCallSpec& spec) {
  auto object = codec::written(spec);
  // Required by the schema also when there is nobody in it.
  if (!object.contains("roster")) object["roster"] = nlohmann::json::array();
  return object;
}

nlohmann::json to_json(const RollCallStatus& status) { return codec::written(status); }

std::string ranks_of(int node_rank, int nproc_per_node) {
  const std::int64_t first = std::int64_t{node_rank} * nproc_per_node;
  if (nproc_per_node <= 1) return std::to_string(first);
  return std::to_string(first) + "-" + std::to_string(first + nproc_per_node - 1);
}

}  // namespace rollcall::api
