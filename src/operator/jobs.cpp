#include "operator/jobs.h"

#include "api/names.h"
#include "telemetry/log.h"

namespace rollcall::operator_ {

namespace names = api::names;
using nlohmann::json;

Jobs::Jobs(kube::Client& client, std::function<void(const std::string& key)> changed)
    : changed_(std::move(changed)),
      jobs_(
          client, kube::kTrainingJobs, "", {}, [](const json& object) -> Result<json> { return object; },
          [this](const std::string& ns, const std::string& name, const auto&, const auto&) {
            changed_(ns + "/" + name);
          }),
      pods_(client, kube::kPods, "", {{"labelSelector", names::kLabelJob}}, pod_facts_from,
            [this](const std::string& ns, const std::string&, const auto& before, const auto& now) {
              changed_(ns + "/" + (now ? now : before)->job);
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
            changed_(ns + "/" + (now ? now : before)->spec.job.name);
          }) {}

void Jobs::start() {
  jobs_.start();
  pods_.start();
  roll_calls_.start();
}

void Jobs::stop() {
  jobs_.stop();
  pods_.stop();
  roll_calls_.stop();
}

bool Jobs::synced() const { return jobs_.synced() && pods_.synced() && roll_calls_.synced(); }

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
  return std::optional<Observed>(std::move(observed));
}

}  // namespace rollcall::operator_
