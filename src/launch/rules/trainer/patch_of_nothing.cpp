#include <string>

#include "launch/kinds/train_job/policy.h"
#include "launch/rules/trainer/family.h"

namespace rollcall::launch::rules {
namespace {

/// The item of `list` with this name; absent when there is none.
Field named(const Field& list, const std::string& name) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i]["name"].text() == name) return list[i];
  return {};
}

std::string names_of(const Field& list) {
  std::string names;
  for (std::size_t i = 0; i < list.size(); ++i) names += (i == 0 ? "`" : ", `") + list[i]["name"].text("?") + "`";
  return names;
}

void check_pod(const Field& patch, const Field& pod, const Launch& launch, Judgement& judgement) {
  for (const char* list : {"initContainers", "containers"}) {
    for (std::size_t i = 0; i < patch[list].size(); ++i) {
      const Field name = patch[list][i]["name"];
      // The webhook looks for either in both lists.
      if (!name.is_string() || named(pod["containers"], name.text()).present() ||
          named(pod["initContainers"], name.text()).present())
        continue;
      judgement.add(trainer_patch_of_nothing, name.path())
          .wrong("{} has no container `{}` there; the webhook refuses the TrainJob.", launch.merged_from, name.text())
          .instead("Write one of {}.", names_of(pod["containers"]));
    }
  }
}

void check(const Launch& launch, Judgement& judgement) {
  // Of the runtime as it is, not as the patches make it.
  const Field jobs = train_job::unpatched_jobs_of(launch);
  if (jobs.size() == 0) return;
  const Field patches = launch.root["spec"]["runtimePatches"];
  for (std::size_t i = 0; i < patches.size(); ++i) {
    const Field patched = patches[i]["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"];
    for (std::size_t k = 0; k < patched.size(); ++k) {
      const Field name = patched[k]["name"];
      const Field job = named(jobs, name.text());
      if (job.present()) {
        check_pod(patched[k]["template"]["spec"]["template"]["spec"], job["template"]["spec"]["template"]["spec"],
                  launch, judgement);
        continue;
      }
      if (!name.is_string()) continue;
      judgement.add(trainer_patch_of_nothing, name.path())
          .wrong("{} has no replicated job `{}`; the webhook refuses the TrainJob.", launch.merged_from, name.text())
          .instead("Write one of {}.", names_of(jobs));
    }
  }
}

}  // namespace

const Rule trainer_patch_of_nothing{
    .id = "trainer/patch-of-nothing",
    .severity = Severity::deny,
    .title = "a runtime patch of a job or container that the runtime does not have",
    .why =
        "A patch changes what is there; it adds neither replicated jobs nor containers. The webhook of Kubeflow "
        "Trainer "
        "refuses a TrainJob that patches one the runtime does not have.",
    .wrong = "runtimePatches of a replicated job `trainer`, where the runtime has `node`",
    .right = "runtimePatches of `node`",
    .check = check,
    .kinds = {JobKind::train_job},
};

}  // namespace rollcall::launch::rules
