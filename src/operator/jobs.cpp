#include "operator/jobs.h"

#include <algorithm>

#include "telemetry/log.h"

namespace rollcall::operator_ {

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

Jobs::Jobs(kube::Client& client, const std::vector<std::string>& namespaces, JobCallbacks callbacks)
    : callbacks_(std::move(callbacks)) {
  for (const auto& ns : namespaces) watched_.push_back(std::make_unique<NamespaceCaches>(client, ns, callbacks_));
  if (!watched_.empty()) return;
  watched_.push_back(std::make_unique<NamespaceCaches>(client, "", callbacks_));
  policies_.reset(
      new Policies{{client,
                    kube::kRollcallPolicies,
                    "",
                    {},
                    read_policy,
                    [this](const std::string&, const std::string&, const auto&, const auto&) { look_at_jobs_of(""); }},
                   {client,
                    kube::kNamespaces,
                    "",
                    {},
                    labels_of,
                    [this](const std::string&, const std::string& name, const auto& before, const auto& now) {
                      if (before == nullptr || now == nullptr || *before != *now) look_at_jobs_of(name);
                    }}});
}

const NamespaceCaches* Jobs::caches_of(const std::string& ns) const {
  for (const auto& caches : watched_) {
    if (caches->ns.empty() || caches->ns == ns) return caches.get();
  }
  return nullptr;
}

void Jobs::look_at_jobs_of(const std::string& ns) {
  for (const auto& caches : watched_) {
    for (const auto& job : caches->jobs.all(ns)) callbacks_.changed(job.ns + "/" + job.name);
  }
}

std::vector<std::string> Jobs::keys() const {
  std::vector<std::string> keys;
  for (const auto& caches : watched_) {
    for (const auto& job : caches->jobs.all()) keys.push_back(job.ns + "/" + job.name);
  }
  return keys;
}

launch::Policy Jobs::policy_of(const std::string& ns) const {
  if (!policies_) return {};
  std::vector<api::RollcallPolicy> policies;
  for (const auto& entry : policies_->policies.all()) policies.push_back(*entry.value);
  if (policies.empty()) return {};
  const auto labels = policies_->namespaces.get("", ns);
  return launch::policy_for(policies, labels ? *labels : std::map<std::string, std::string>{});
}

void Jobs::start() {
  // Before the jobs, or the first look at one could miss what a policy says.
  if (policies_) {
    policies_->policies.start();
    policies_->namespaces.start();
  }
  for (const auto& caches : watched_) caches->start();
}

void Jobs::stop() {
  for (const auto& caches : watched_) caches->stop();
  if (!policies_) return;
  policies_->policies.stop();
  policies_->namespaces.stop();
}

bool Jobs::synced() const {
  return std::all_of(watched_.begin(), watched_.end(), [](const auto& caches) { return caches->synced(); }) &&
         (!policies_ || (policies_->policies.synced() && policies_->namespaces.synced()));
}

Result<std::optional<Observed>> Jobs::observe(const std::string& key) const {
  const auto slash = key.find('/');
  const auto ns = key.substr(0, slash);
  const auto name = key.substr(slash + 1);
  const auto* caches = caches_of(ns);
  const auto object = caches != nullptr ? caches->jobs.get(ns, name) : nullptr;
  if (!object) return std::optional<Observed>();
  auto job = api::training_job_from(*object);
  if (!job) return job.error().in("TrainingJob " + key);
  Observed observed;
  observed.object = *object;
  observed.job = std::move(job.value());
  for (const auto& entry : caches->pods.all(ns)) {
    if (entry.value->job == name) observed.pods.push_back(*entry.value);
  }
  for (const auto& entry : caches->roll_calls.all(ns)) {
    if (entry.value->spec.job.name == name) observed.roll_calls.push_back(*entry.value);
  }
  observed.policy = policy_of(ns);
  return std::optional<Observed>(std::move(observed));
}

std::vector<std::shared_ptr<const api::RollCall>> Jobs::roll_calls() const {
  std::vector<std::shared_ptr<const api::RollCall>> all;
  for (const auto& caches : watched_) {
    for (const auto& entry : caches->roll_calls.all()) all.push_back(entry.value);
  }
  return all;
}

void Jobs::measure(telemetry::Standard& standard) const {
  for (const auto& caches : watched_) {
    const auto add = [&](const std::string& resource, const auto& cache) {
      standard.watch(
          caches->ns.empty() ? resource : caches->ns + "/" + resource, [&cache] { return cache.health(); },
          [&cache] { return cache.size(); });
    };
    add("trainingjobs", caches->jobs);
    add("pods", caches->pods);
    add("rollcalls", caches->roll_calls);
  }
  if (!policies_) return;
  standard.watch(
      "rollcallpolicies", [this] { return policies_->policies.health(); },
      [this] { return policies_->policies.size(); });
  standard.watch(
      "namespaces", [this] { return policies_->namespaces.health(); }, [this] { return policies_->namespaces.size(); });
}

}  // namespace rollcall::operator_
