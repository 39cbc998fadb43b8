#include "operator/actions.h"

#include "api/names.h"

namespace rollcall::operator_ {

using kube::ApiError;
using nlohmann::json;
using Outcome = std::optional<ApiError>;
namespace names = api::names;

namespace {

ApiError conflict(std::string message) {
  ApiError error;
  error.http = 409;
  error.reason = "Conflict";
  error.message = std::move(message);
  return error;
}

Outcome unless_gone(const kube::Reply& reply) {
  if (reply || reply.error().not_found()) return std::nullopt;
  return reply.error();
}

bool controlled_by(const json& object, const std::string& uid) {
  const auto metadata = object.value("metadata", json::object());
  const auto owners = metadata.value("ownerReferences", json::array());
  for (const auto& owner : owners) {
    if (owner.value("controller", false) && owner.value("uid", "") == uid) return true;
  }
  return false;
}

std::string member(const json& object, const char* outer, const char* inner) {
  const auto part = object.value(outer, json::object());
  return part.value(inner, "");
}

/// The field a merge patch carries so that it hits this object and no successor of its name: the API server refuses a
/// change of a uid.
json metadata_of(const std::string& uid) { return {{"metadata", {{"uid", uid}}}}; }

}  // namespace

Outcome Actor::perform(const Action& action) const {
  return std::visit([this](const auto& item) { return act(item); }, action);
}

Outcome Actor::act(const DryRunPod& action) const {
  const auto pod =
      launch::make_pod(observed_.job, decision_.plan, action.node_rank, decision_.attempt, *observed_.probe);
  if (!pod) return ApiError{400, "BadRequest", pod.error().message, 0};
  const auto reply = client_.create(kube::kPods, ns(), *pod, {.dry_run = true, .strict = true});
  // The name may be taken by the pod itself, created before a restart; CreatePod looks whose it is.
  if (reply || reply.error().already_exists()) return std::nullopt;
  return reply.error();
}

Outcome Actor::act(const CreatePod& action) const {
  const auto pod =
      launch::make_pod(observed_.job, decision_.plan, action.node_rank, decision_.attempt, *observed_.probe);
  if (!pod) return ApiError{400, "BadRequest", pod.error().message, 0};
  const auto reply = client_.create(kube::kPods, ns(), *pod);
  if (reply) return std::nullopt;
  if (!reply.error().already_exists()) return reply.error();
  const auto name = launch::pod_name(observed_.job.meta.name, action.node_rank, decision_.attempt);
  const auto there = client_.get(kube::kPods, ns(), name);
  if (!there)
    return there.error().not_found() ? conflict("pod " + name + " went while it was looked at") : there.error();
  return controlled_by(there.value(), observed_.job.meta.uid) ? Outcome{} : reply.error();
}

Outcome Actor::act(const AnnotatePod& action) const {
  auto patch = metadata_of(action.uid);
  patch["metadata"]["annotations"] = action.annotations;
  const auto reply = client_.merge_patch(kube::kPods, ns(), action.name, patch);
  if (!reply && reply.error().http == 422) return conflict("another pod stands under the name " + action.name);
  return unless_gone(reply);
}

Outcome Actor::act(const EndPod& action) const {
  auto patch = metadata_of(action.uid);
  patch["spec"]["activeDeadlineSeconds"] = 1;
  return unless_gone(client_.merge_patch(kube::kPods, ns(), action.name, patch));
}

Outcome Actor::act(const DeletePod& action) const {
  const auto reply = client_.remove(kube::kPods, ns(), action.name, {.uid = action.uid});
  // Conflict: another pod stands there now, so this one is gone.
  if (!reply && reply.error().conflict()) return std::nullopt;
  return unless_gone(reply);
}

Outcome Actor::act(const CreateRollCall& action) const {
  const auto& job = observed_.job.meta;
  const auto name = api::roll_call_name(job.name, action.spec.attempt);
  const json object = {{"apiVersion", names::kApiVersion},
                       {"kind", "RollCall"},
                       {"metadata",
                        {{"name", name},
                         {"namespace", job.namespace_name},
                         {"labels", {{names::kLabelJob, job.name}, {names::kLabelJobUid, job.uid}}},
                         {"ownerReferences", json::array({{{"apiVersion", names::kApiVersion},
                                                           {"kind", "TrainingJob"},
                                                           {"name", job.name},
                                                           {"uid", job.uid},
                                                           {"controller", true}}})}}},
                       {"spec", api::to_json(action.spec)}};
  const auto reply = client_.create(kube::kRollCalls, ns(), object);
  if (reply) return std::nullopt;
  if (!reply.error().already_exists()) return reply.error();
  const auto there = client_.get(kube::kRollCalls, ns(), name);
  if (there && controlled_by(there.value(), job.uid)) return std::nullopt;
  return conflict("RollCall " + name + " is another job's; it has to go first");
}

Outcome Actor::act(const DeleteRollCall& action) const {
  return unless_gone(client_.remove(kube::kRollCalls, ns(), action.name, {.uid = action.uid}));
}

Outcome Actor::act(const AnnotateRollCall& action) const {
  auto patch = metadata_of(action.uid);
  patch["metadata"]["annotations"][action.key] = action.value;
  return unless_gone(client_.merge_patch(kube::kRollCalls, ns(), action.name, patch));
}

Outcome Actor::one_is_alive(const std::vector<std::pair<std::string, std::string>>& pods) const {
  if (pods.empty()) return std::nullopt;
  for (const auto& [name, uid] : pods) {
    const auto reply = client_.get(kube::kPods, ns(), name);
    if (!reply && !reply.error().not_found()) return reply.error();
    const bool stands = reply && member(reply.value(), "metadata", "uid") == uid &&
                        member(reply.value(), "metadata", "deletionTimestamp").empty();
    if (!stands) return std::nullopt;
  }
  return conflict("the pod that seemed to be gone stands; the cache was behind");
}

/// Read, look, write with the resourceVersion that was read. Whoever stored the field first has won; that is no error
/// here, the next look reads what won.
Outcome Actor::write_once(const std::string& name, const std::string& uid, const char* field, const json& value) const {
  auto reply = client_.get(kube::kRollCalls, ns(), name);
  if (!reply) return reply.error().not_found() ? Outcome{} : reply.error();
  auto object = std::move(reply.value());
  if (member(object, "metadata", "uid") != uid) return conflict("RollCall " + name + " is another one now");
  if (!object.contains("status") || !object["status"].is_object()) object["status"] = json::object();
  if (object["status"].contains(field) && !object["status"][field].is_null()) return std::nullopt;
  object["status"][field] = value;
  object["status"]["stage"] = "Ended";
  const auto written = client_.replace_status(kube::kRollCalls, ns(), name, object);
  if (written || written.error().not_found()) return std::nullopt;
  return written.error();
}

Outcome Actor::act(const WriteVerdict& action) const {
  if (auto alive = one_is_alive(action.unless_alive)) return alive;
  api::RollCallStatus status;
  status.verdict = action.verdict;
  return write_once(action.name, action.uid, "verdict", api::to_json(status).at("verdict"));
}

Outcome Actor::act(const WriteEnd& action) const {
  if (auto alive = one_is_alive(action.unless_alive)) return alive;
  api::RollCallStatus status;
  status.end = action.end;
  return write_once(action.name, action.uid, "end", api::to_json(status).at("end"));
}

Outcome Actor::act(const ConsumeRelease&) const {
  const auto& job = observed_.job.meta;
  // With the resourceVersion, so that a reason written since is not taken away unread.
  const json patch = {{"metadata",
                       {{"uid", job.uid},
                        {"resourceVersion", job.resource_version},
                        {"annotations", {{names::kAnnotationRelease, nullptr}}}}}};
  return unless_gone(client_.merge_patch(kube::kTrainingJobs, ns(), job.name, patch));
}

/// Asked anew before: a person who changed the ttl a moment ago wants to keep the job.
Outcome Actor::act(const DeleteJob& action) const {
  const auto& job = observed_.job.meta;
  const auto there = client_.get(kube::kTrainingJobs, ns(), job.name);
  if (!there) return unless_gone(there);
  if (member(there.value(), "metadata", "uid") != job.uid) return std::nullopt;
  const auto spec = there.value().value("spec", json::object());
  if (spec.value("ttlSecondsAfterFinished", json()) != action.ttl_seconds)
    return conflict("spec.ttlSecondsAfterFinished was changed meanwhile");
  return unless_gone(
      client_.remove(kube::kTrainingJobs, ns(), job.name, {.uid = job.uid, .propagation = "Background"}));
}

std::string words_of(const Action& action, const Observed& observed, const Decision& decision) {
  const auto named = [&](int rank) { return launch::pod_name(observed.job.meta.name, rank, decision.attempt); };
  struct Words {
    const decltype(named)& pod_of;
    std::string operator()(const DryRunPod& a) const { return "ask for pod " + pod_of(a.node_rank); }
    std::string operator()(const CreatePod& a) const { return "create pod " + pod_of(a.node_rank); }
    std::string operator()(const AnnotatePod& a) const { return "annotate pod " + a.name; }
    std::string operator()(const EndPod& a) const { return "end pod " + a.name; }
    std::string operator()(const DeletePod& a) const { return "delete pod " + a.name; }
    std::string operator()(const CreateRollCall& a) const {
      return "create RollCall of attempt " + std::to_string(a.spec.attempt);
    }
    std::string operator()(const DeleteRollCall& a) const { return "delete RollCall " + a.name; }
    std::string operator()(const AnnotateRollCall& a) const { return "annotate RollCall " + a.name + " " + a.key; }
    std::string operator()(const WriteVerdict& a) const {
      return "write verdict Ended(" + std::string(to_string(*a.verdict.reason)) + ") of " + a.name;
    }
    std::string operator()(const WriteEnd& a) const {
      return "write end " + std::string(to_string(a.end.reason)) + " of " + a.name;
    }
    std::string operator()(const ConsumeRelease&) const { return "take the release annotation"; }
    std::string operator()(const DeleteJob& a) const {
      return "delete the finished job, " + std::to_string(a.ttl_seconds) + " s after its end";
    }
  };
  return std::visit(Words{named}, action);
}

}  // namespace rollcall::operator_
