#include "operator/jobs.h"

#include "api/names.h"
#include "telemetry/log.h"

namespace rollcall::operator_ {

namespace names = api::names;
using nlohmann::json;

namespace {

/// A policy that cannot be read is left out, and said so; a rule that it misspells changes nothing, and is said too.
Result<api::RollcallPolicy> read_policy(const json& object) {
  auto policy = api::rollcall_policy_from(object);
  if (!policy) {
    log::warn("RollcallPolicy not readable",
              {{"name", object["metadata"].value("name", "")}, {"why", policy.error().message}});
    return policy;
  }
  for (const auto& rule : launch::unknown_rules(*policy))
    log::warn("RollcallPolicy names a rule that there is not", {{"name", policy->name}, {"rule", rule}});
  return policy;
}

Result<std::map<std::string, std::string>> labels_of(const json& ns) {
  std::map<std::string, std::string> labels;
  const auto written = ns.at("metadata").value("labels", json::object());
  for (const auto& [key, value] : written.items()) {
    if (value.is_string()) labels[key] = value.get<std::string>();
  }
  return labels;
}

}  // namespace

Jobs::Jobs(kube::Client& client, Callbacks callbacks)
    : callbacks_(std::move(callbacks)),
      jobs_(
          client, kube::kTrainingJobs, "", {}, [](const json& object) -> Result<json> { return object; },
          [this](const std::string& ns, const std::string& name, const auto&, const auto&) {
            callbacks_.changed(ns + "/" + name);
          }),
      pods_(client, kube::kPods, "", {{"labelSelector", names::kLabelJob}}, pod_facts_from,
            [this](const std::string& ns, const std::string&, const auto& before, const auto& now) {
              callbacks_.changed(ns + "/" + (now ? now : before)->job);
            }),
      roll_calls_(
          client, kube::kRollCalls, "", {},
          [](const json& object) -> Result<api::RollCall> {
            auto read = api::roll_call_from(object);
            if (!read)
              log::warn("RollCall not readable",
                        {{"name", object["metadata"].value("name", "")}, {"why", read.error().message}});
            return read;
          },
          [this](const std::string& ns, const std::string&, const auto& before, const auto& now) {
            if (before && now && callbacks_.roll_call_changed) callbacks_.roll_call_changed(*before, *now);
            callbacks_.changed(ns + "/" + (now ? now : before)->spec.job.name);
          }),
      policies_(client, kube::kRollcallPolicies, "", {}, read_policy,
                [this](const std::string&, const std::string&, const auto&, const auto&) { look_at_jobs_of(""); }),
      namespaces_(client, kube::kNamespaces, "", {}, labels_of,
                  [this](const std::string&, const std::string& name, const auto& before, const auto& now) {
                    if (before == nullptr || now == nullptr || *before != *now) look_at_jobs_of(name);
                  }) {}

void Jobs::look_at_jobs_of(const std::string& ns) {
  for (const auto& job : jobs_.all(ns)) callbacks_.changed(job.ns + "/" + job.name);
}

launch::Policy Jobs::policy_of(const std::string& ns) const {
  std::vector<api::RollcallPolicy> policies;
  for (const auto& entry : policies_.all()) policies.push_back(*entry.value);
  if (policies.empty()) return {};
  const auto labels = namespaces_.get("", ns);
  return launch::policy_for(policies, labels ? *labels : std::map<std::string, std::string>{});
}

void Jobs::start() {
  // Before the jobs, or the first look at one could miss what a policy says.
  policies_.start();
  namespaces_.start();
  jobs_.start();
  pods_.start();
  roll_calls_.start();
}

void Jobs::stop() {
  jobs_.stop();
  pods_.stop();
  roll_calls_.stop();
  policies_.stop();
  namespaces_.stop();
}

bool Jobs::synced() const {
  return jobs_.synced() && pods_.synced() && roll_calls_.synced() && policies_.synced() && namespaces_.synced();
}

Result<std::optional<Observed>> Jobs::observe(const std::string& key) const {
  const auto slash = key.find('/');
  const auto ns = key.substr(0, slash);
  const auto name = key.substr(slash + 1);
  const auto object = jobs_.get(ns, name);
  if (!object) return std::optional<Observed>();
  auto job = api::training_job_from(*object);
  if (!job) return job.error().in("TrainingJob " + key);
  Observed observed;
  observed.object = *object;
  observed.job = std::move(job.value());
  for (const auto& entry : pods_.all(ns)) {
    if (entry.value->job == name) observed.pods.push_back(*entry.value);
  }
  for (const auto& entry : roll_calls_.all(ns)) {
    if (entry.value->spec.job.name == name) observed.roll_calls.push_back(*entry.value);
  }
  observed.policy = policy_of(ns);
  return std::optional<Observed>(std::move(observed));
}

std::vector<std::shared_ptr<const api::RollCall>> Jobs::roll_calls() const {
  std::vector<std::shared_ptr<const api::RollCall>> all;
  for (const auto& entry : roll_calls_.all()) all.push_back(entry.value);
  return all;
}

void Jobs::measure(telemetry::Standard& standard) const {
  const auto add = [&standard](const char* resource, const auto& cache) {
    standard.watch(
        resource, [&cache] { return cache.health(); }, [&cache] { return cache.size(); });
  };
  add("trainingjobs", jobs_);
  add("pods", pods_);
  add("rollcalls", roll_calls_);
  add("rollcallpolicies", policies_);
  add("namespaces", namespaces_);
}

}  // namespace rollcall::operator_
