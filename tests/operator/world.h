#pragma once

#include <memory>
#include <string>

#include "api/names.h"
#include "operator/apply.h"
#include "operator/conditions.h"
#include "operator/fake_client.h"
#include "operator/reconcile.h"

namespace rollcall::operator_::testing_world {

inline WallTime at(const std::string& text) { return *rfc3339_from(text); }

/// One job in a small cluster: the test plays scheduler, kubelets, desk and person; `settle()` is the operator.
class World {
 public:
  explicit World(int nnodes = 2, Json spec = Json::object()) {
    spec["nnodes"] = nnodes;
    if (!spec.contains("template")) {
      spec["template"] = Json::parse(
          R"({"spec": {"containers": [{"name": "trainer", "image": "train:1", "command": ["python", "train.py"]}]}})");
    }
    Json job = {{"apiVersion", "rollcall.dev/v1alpha1"},
                {"kind", "TrainingJob"},
                {"metadata", {{"name", "llama"}, {"namespace", "ml"}, {"uid", "job-1"}, {"generation", 1}}},
                {"spec", std::move(spec)}};
    client.store(kJob, std::move(job));
  }

  FakeClient client;
  WallTime now = at("2026-11-30T12:00:00Z");
  std::optional<launch::ProbeSettings> probe =
      launch::ProbeSettings{"probe:1", "", "10.0.0.9:443", "rollcall-desk.x.svc", "PEM"};
  std::vector<api::RollcallPolicy> policies;
  bool rules_refuse = true;
  std::vector<Event> events;
  std::optional<std::chrono::milliseconds> look_again;
  Applied applied = Applied::Done;

  static constexpr auto kJob = "trainingjobs/ml/llama";

  Observed observe() const {
    Observed o;
    o.object = client.objects.at(kJob);
    o.job = *api::training_job_from(o.object);
    for (const auto& [key, object] : client.objects) {
      if (key.starts_with("pods/ml/")) o.pods.push_back(*pod_facts_from(object));
      if (key.starts_with("rollcalls/ml/")) o.roll_calls.push_back(*api::roll_call_from(object));
    }
    o.policy = launch::policy_for(policies, {});
    o.probe = probe;
    o.rules_refuse = rules_refuse;
    o.probe_missing = probe ? "" : "Pods are not created: Service rollcall-desk is not there";
    return o;
  }

  /// One look. False when there was nothing to do.
  bool look() {
    const auto before = client.objects;
    const auto observed = observe();
    const auto decision = reconcile(observed, now);
    look_again = decision.look_again;
    kube::EventRecorder recorder(client, "test");
    const ApplyObserver observer{[](const char*, const std::string&) {},
                                 [](const char*, const std::string&, const std::string&) {},
                                 [this](const Event& event) { events.push_back(event); }};
    applied = apply(client, recorder, observed, decision, now, observer);
    return client.objects != before;
  }

  /// Looks until nothing changes; more than 20 looks without a change of the world is a loop.
  void settle() {
    for (int i = 0; i < 20; ++i) {
      if (!look()) return;
    }
    throw std::logic_error("the operator never comes to rest");
  }

  void pass(std::chrono::seconds time) { now += time; }

  // ---- what the others do
  Json& object(const std::string& key) { return client.objects.at(key); }
  Json& pod(int rank, int attempt = 1) {
    return object("pods/ml/llama-" + std::to_string(rank) + "-" + std::to_string(attempt));
  }
  bool has_pod(int rank, int attempt = 1) const {
    return client.objects.contains("pods/ml/llama-" + std::to_string(rank) + "-" + std::to_string(attempt));
  }
  Json& roll_call(int attempt = 1) { return object("rollcalls/ml/tj-llama-" + std::to_string(attempt)); }
  bool has_roll_call(int attempt = 1) const {
    return client.objects.contains("rollcalls/ml/tj-llama-" + std::to_string(attempt));
  }
  api::TrainingJobStatus status() const { return observe().job.status; }

  void touch(const std::string& key) { client.store(key, client.objects.at(key)); }
  void person_annotates(const std::string& key, const std::string& value) {
    object(kJob)["metadata"]["annotations"][key] = value;
    touch(kJob);
  }
  void person_sets(const char* field, Json value) {
    object(kJob)["spec"][field] = std::move(value);
    object(kJob)["metadata"]["generation"] = object(kJob)["metadata"]["generation"].get<int>() + 1;
    touch(kJob);
  }

  void schedule(int rank, int attempt = 1) {
    auto& p = pod(rank, attempt);
    p["spec"]["nodeName"] = "gpu-" + std::to_string(rank);
    p["status"]["podIPs"] = Json::array({{{"ip", "10.1.0." + std::to_string(rank + 1)}}});
    p["status"]["conditions"] =
        Json::array({{{"type", "PodScheduled"}, {"status", "True"}, {"lastTransitionTime", rfc3339(now)}}});
  }
  void start_probe(int rank, int attempt = 1) {
    schedule(rank, attempt);
    pod(rank, attempt)["status"]["initContainerStatuses"] =
        Json::array({{{"name", api::names::kInstaller}, {"state", {{"terminated", {{"exitCode", 0}}}}}},
                     {{"name", api::names::kProbe}, {"state", {{"running", {{"startedAt", rfc3339(now)}}}}}}});
  }
  void desk_writes(Json status, int attempt = 1) {
    auto& object = roll_call(attempt);
    if (!object.contains("status")) object["status"] = Json::object();
    object["status"].update(status);
    touch("rollcalls/ml/tj-llama-" + std::to_string(attempt));
  }
  void desk_names_address(const std::string& address = "10.1.0.1", int attempt = 1) {
    desk_writes({{"masterAddr", address}}, attempt);
  }
  void desk_releases(int attempt = 1, bool overridden = false) {
    desk_writes({{"stage", "Released"},
                 {"answered", "2/2"},
                 {"verdict",
                  {{"kind", "Released"},
                   {"message", overridden ? "because" : "all passed"},
                   {"at", rfc3339(now)},
                   {"by", "desk"},
                   {"overridden", overridden}}}},
                attempt);
  }
  void desk_ends(const std::string& reason, const std::string& message, int attempt = 1) {
    desk_writes({{"stage", "Ended"},
                 {"verdict",
                  {{"kind", "Ended"}, {"reason", reason}, {"message", message}, {"at", rfc3339(now)}, {"by", "desk"}}}},
                attempt);
  }
  void trainer_runs(int rank, int attempt = 1) {
    auto& status = pod(rank, attempt)["status"];
    status["phase"] = "Running";
    status["initContainerStatuses"][1]["state"] = {{"terminated", {{"exitCode", 0}}}};
    status["containerStatuses"] =
        Json::array({{{"name", "trainer"}, {"imageID", "x"}, {"state", {{"running", {{"startedAt", rfc3339(now)}}}}}}});
  }
  void trainer_ends(int rank, int code, const std::string& reason, int attempt = 1) {
    auto& status = pod(rank, attempt)["status"];
    status["phase"] = code == 0 ? "Succeeded" : "Failed";
    status["containerStatuses"] = Json::array(
        {{{"name", "trainer"},
          {"imageID", "x"},
          {"state",
           {{"terminated",
             {{"exitCode", code}, {"reason", reason}, {"startedAt", rfc3339(now)}, {"finishedAt", rfc3339(now)}}}}}}});
  }
  /// The kubelet lets go of what is being deleted.
  void kubelets_let_go() {
    std::erase_if(client.objects, [](const auto& item) {
      return item.first.starts_with("pods/") && item.second["metadata"].contains("deletionTimestamp");
    });
  }

  // ---- histories up to a point
  void until_called(int nnodes = 2, int attempt = 1) {
    settle();
    for (int rank = 0; rank < nnodes; ++rank) start_probe(rank, attempt);
    settle();
  }
  void until_released(int nnodes = 2, int attempt = 1) {
    until_called(nnodes, attempt);
    desk_names_address("10.1.0.1", attempt);
    settle();
    desk_releases(attempt);
    settle();
  }
  void until_running(int nnodes = 2, int attempt = 1) {
    until_released(nnodes, attempt);
    for (int rank = 0; rank < nnodes; ++rank) trainer_runs(rank, attempt);
    settle();
  }

  std::vector<std::string> event_reasons() const {
    std::vector<std::string> reasons;
    for (const auto& event : events) reasons.push_back(event.reason);
    return reasons;
  }
};

/// "True/Passed" of a condition, "(none)" where there is none.
inline std::string reason_of(const World& world, const char* type) {
  const auto status = world.status();
  const auto* found = condition(status, type);
  return found == nullptr ? "(none)" : found->status + "/" + found->reason;
}
inline Json annotations_of(const Json& object) { return object["metadata"].value("annotations", Json::object()); }

}  // namespace rollcall::operator_::testing_world
