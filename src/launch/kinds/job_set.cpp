// JobSet gives no rendezvous, but names: SET-ROLE-JOB-POD.SUBDOMAIN, and its Jobs are Indexed.
#include "launch/kinds/other_kinds.h"
#include "launch/kinds/pods.h"

namespace rollcall::launch {

std::optional<Launch> read_job_set(const nlohmann::json& object, const Context& around) {
  Launch launch = launch_of(object, JobKind::job_set, around);
  const Field jobs = launch.root["spec"]["replicatedJobs"];
  launch.index_variable = "JOB_COMPLETION_INDEX";
  launch.rank_advice = "Write `$(JOB_COMPLETION_INDEX)`.";
  launch.master_advice = "Write the name of pod 0, SET-ROLE-0-0.SET.";
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Field job = jobs[i]["template"]["spec"];
    RoleSource source{jobs[i]["name"].text(), job["template"], "", {}, false};
    if (job["completionMode"].text("Indexed") == "Indexed")
      source.given.push_back(given_at_run_time("JOB_COMPLETION_INDEX", "Job controller"));
    Role role = read_role(source, launch);
    role.pods = count_of(job["parallelism"], 1);
    role.nodes = role.pods;
    launch.roles.push_back(std::move(role));
  }
  return trains(launch) ? std::optional(std::move(launch)) : std::nullopt;
}

}  // namespace rollcall::launch
