#include "api/names.h"
#include "desk/start/program.h"
#include "telemetry/log.h"

namespace rollcall::desk {

Status start_watches(Program& program) {
  Service& service = *program.service;
  // Whichever list is complete last opens the desk.
  const auto synced = [&program] {
    if (!program.roll_calls->synced() || !program.pods->synced()) return;
    program.service->synced();
    stand_for_election(program);
  };
  program.roll_calls = std::make_unique<kube::Reflector>(
      *program.client, kube::kRollCalls, "", std::map<std::string, std::string>{},
      kube::Reflector::Callbacks{
          .upsert = [&service](const kube::Json& object) { service.roll_call_changed(object); },
          .removed = [&service](const std::string& ns, const std::string& name,
                                const std::string& uid) { service.roll_call_removed(ns, name, uid); },
          .synced = synced});
  program.pods = std::make_unique<kube::Reflector>(
      *program.client, kube::kPods, "", std::map<std::string, std::string>{{"labelSelector", api::names::kLabelJob}},
      kube::Reflector::Callbacks{.upsert = [&service](const kube::Json& object) { service.pod_changed(object); },
                                 .removed = [&service](const std::string& ns, const std::string& name,
                                                       const std::string& uid) { service.pod_removed(ns, name, uid); },
                                 .synced = synced});
  program.metrics.standard().watch("rollcalls", [&program] { return program.roll_calls->health(); });
  program.metrics.standard().watch("pods", [&program] { return program.pods->health(); });
  program.roll_calls->start();
  program.pods->start();
  return Done{};
}

}  // namespace rollcall::desk
