#include "api/training_job.h"

#include "api/training_job_codec.h"

namespace rollcall::api {
namespace {

struct Rendezvous {
  int port = 29500;
  std::optional<std::string> master_addr;
};

template <typename Io>
void fields(Io& io, Rendezvous& v) {
  io("port", v.port);
  io("masterAddr", v.master_addr);
}

/// `auto` and absent are the same; anything else must be an integer.
std::optional<Error> read_processes(const nlohmann::json& value, std::optional<int>& processes) {
  if (value.is_null() || value == "auto") return std::nullopt;
  if (!value.is_number_integer()) {
    return Error{"spec.nprocPerNode: must be an integer or auto, is " +
                     value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                 "Invalid"};
  }
  const auto wide = value.get<std::int64_t>();
  // More processes than any node has cores or accelerators; the schema has the same bound.
  if (wide < 1 || wide > 1024)
    return Error{"spec.nprocPerNode: " + value.dump() + " is out of range 1 to 1024", "Invalid"};
  processes = static_cast<int>(wide);
  return std::nullopt;
}

std::optional<Error> out_of_range(const TrainingJobSpec& spec) {
  const auto wrong = [](const char* field, std::int64_t value, const char* range) {
    return Error{std::string("spec.") + field + ": " + std::to_string(value) + " is out of range " + range, "Invalid"};
  };
  if (spec.nnodes < 1 || spec.nnodes > kMaxNodes) return wrong("nnodes", spec.nnodes, "1 to 4096");
  const auto& roll_call = spec.roll_call;
  if (roll_call.wait_for_pods_seconds < 1)
    return wrong("rollCall.waitForPodsSeconds", roll_call.wait_for_pods_seconds, "1 and more");
  if (roll_call.timeout_seconds < 1) return wrong("rollCall.timeoutSeconds", roll_call.timeout_seconds, "1 and more");
  if (roll_call.retries < 0) return wrong("rollCall.retries", roll_call.retries, "0 and more");
  if (roll_call.hold_seconds < 0) return wrong("rollCall.holdSeconds", roll_call.hold_seconds, "0 and more");
  if (spec.active_deadline_seconds &&
      (*spec.active_deadline_seconds < 1 || *spec.active_deadline_seconds > kMaxSeconds))
    return wrong("activeDeadlineSeconds", *spec.active_deadline_seconds, "1 to 315360000");
  if (const auto& ttl = spec.ttl_seconds_after_finished; ttl && (*ttl < 0 || *ttl > kMaxSeconds))
    return wrong("ttlSecondsAfterFinished", *ttl, "0 to 315360000");
  return std::nullopt;
}

}  // namespace

std::string_view to_string(RollCallMode mode) {
  switch (mode) {
    case RollCallMode::Enforce:
      return "Enforce";
    case RollCallMode::Observe:
      return "Observe";
    case RollCallMode::Off:
      return "Off";
  }
  return "Enforce";
}

std::optional<RollCallMode> roll_call_mode_from(std::string_view text) {
  for (const auto mode : {RollCallMode::Enforce, RollCallMode::Observe, RollCallMode::Off}) {
    if (text == to_string(mode)) return mode;
  }
  return std::nullopt;
}

std::string_view to_string(NcclSource source) { return source == NcclSource::Bundled ? "Bundled" : "Job"; }

std::optional<NcclSource> nccl_source_from(std::string_view text) {
  if (text == "Job") return NcclSource::Job;
  if (text == "Bundled") return NcclSource::Bundled;
  return std::nullopt;
}

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::Pending:
      return "Pending";
    case Phase::RollCall:
      return "RollCall";
    case Phase::Held:
      return "Held";
    case Phase::Released:
      return "Released";
    case Phase::Running:
      return "Running";
    case Phase::Suspended:
      return "Suspended";
    case Phase::Succeeded:
      return "Succeeded";
    case Phase::Failed:
      return "Failed";
  }
  return "Pending";
}

Result<TrainingJob> training_job_from(const nlohmann::json& object) {
  TrainingJob job;
  std::optional<Error> error;
  nlohmann::json spec = nlohmann::json::object();
  codec::Reader top(object, "", error);
  top.required("metadata", job.meta);
  top.required("spec", spec);
  top("status", job.status);
  if (error) return *error;

  nlohmann::json processes;
  Rendezvous rendezvous;
  codec::Reader reader(spec, "spec", error);
  reader.required("nnodes", job.spec.nnodes);
  reader("nprocPerNode", processes);
  reader("worldSize", job.spec.world_size);
  reader("launcher", job.spec.launcher);
  reader("trainerContainer", job.spec.trainer_container);
  reader("rendezvous", rendezvous);
  reader("rollCall", job.spec.roll_call);
  reader("activeDeadlineSeconds", job.spec.active_deadline_seconds);
  reader("ttlSecondsAfterFinished", job.spec.ttl_seconds_after_finished);
  reader("suspend", job.spec.suspend);
  reader.required("template", job.spec.pod_template);
  if (!error) error = read_processes(processes, job.spec.nproc_per_node);
  if (!error) error = out_of_range(job.spec);
  if (!error && !job.spec.pod_template.is_object()) {
    error = Error{std::string("spec.template: must be an object, is ") + job.spec.pod_template.type_name(), "Invalid"};
  }
  if (error) return *error;
  job.spec.port = rendezvous.port;
  job.spec.master_addr = rendezvous.master_addr;
  return job;
}

nlohmann::json to_json(const TrainingJobStatus& status) { return codec::written(status); }

}  // namespace rollcall::api
