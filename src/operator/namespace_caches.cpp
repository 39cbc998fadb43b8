#include "operator/namespace_caches.h"

#include "api/names.h"
#include "telemetry/log.h"

namespace rollcall::operator_ {

namespace names = api::names;
using nlohmann::json;

namespace {

Result<api::RollCall> read_roll_call(const json& object) {
  auto read = api::roll_call_from(object);
  if (!read)
    log::warn("RollCall not readable", {{"name", object["metadata"].value("name", "")}, {"why", read.error().message}});
  return read;
}

}  // namespace

NamespaceCaches::NamespaceCaches(kube::Client& client, const std::string& of, const JobCallbacks& callbacks)
    : ns(of),
      jobs(
          client, kube::kTrainingJobs, of, {}, [](const json& object) -> Result<json> { return object; },
          [callbacks](const std::string& in, const std::string& name, const auto&, const auto&) {
            callbacks.changed(in + "/" + name);
          }),
      pods(client, kube::kPods, of, {{"labelSelector", names::kLabelJob}}, pod_facts_from,
           [callbacks](const std::string& in, const std::string&, const auto& before, const auto& now) {
             callbacks.changed(in + "/" + (now ? now : before)->job);
           }),
      roll_calls(client, kube::kRollCalls, of, {}, read_roll_call,
                 [callbacks](const std::string& in, const std::string&, const auto& before, const auto& now) {
                   if (before && now && callbacks.roll_call_changed) callbacks.roll_call_changed(*before, *now);
                   callbacks.changed(in + "/" + (now ? now : before)->spec.job.name);
                 }) {}

void NamespaceCaches::start() {
  jobs.start();
  pods.start();
  roll_calls.start();
}

void NamespaceCaches::stop() {
  jobs.stop();
  pods.stop();
  roll_calls.stop();
}

}  // namespace rollcall::operator_
