#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "launch/kinds/pods.h"
#include "launch/kinds/train_job/merge.h"
#include "launch/rules/trainer/family.h"

namespace rollcall::launch::rules {
namespace {

/// Steps and the container that each must have.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kSteps{
    {{train_job::kTrainerStep, train_job::kNode},
     {"dataset-initializer", "dataset-initializer"},
     {"model-initializer", "model-initializer"}}};

void check(const Launch& launch, Judgement& judgement) {
  const Field jobs = launch.root["spec"]["template"]["spec"]["replicatedJobs"];
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::string step = jobs[i]["template"]["metadata"]["labels"][train_job::kStepLabel].text();
    for (const auto& [name, wanted] : kSteps) {
      if (step != name) continue;
      const Field containers = jobs[i]["template"]["spec"]["template"]["spec"]["containers"];
      bool there = containers.size() == 0;
      for (std::size_t k = 0; k < containers.size(); ++k) there = there || containers[k]["name"].text() == wanted;
      if (!there) {
        judgement.add(trainer_step_without_container, containers.path())
            .wrong("the replicated job of the step `{}` has no container `{}`; the webhook refuses the runtime.", step,
                   wanted)
            .instead("Call the container `{}`.", wanted);
      }
      const Field copies = jobs[i]["replicas"];
      const Fact<int> count = count_of(copies, 1);
      if (!copies.present() || !count.known() || *count == 1) continue;
      judgement.add(trainer_step_without_container, copies.path())
          .wrong("{} replicas of the job of the step `{}`; the webhook takes 1 only.", *count, step)
          .instead("Leave replicas out; numNodes makes the pods.");
    }
  }
}

}  // namespace

const Rule trainer_step_without_container{
    .id = "trainer/step-without-container",
    .severity = Severity::deny,
    .title = "a runtime whose step is not of the form that the controller knows",
    .why =
        "The controller puts what a TrainJob says into the container `node` of the one job of the step `trainer`, and "
        "likewise for the initializers. The webhook of Kubeflow Trainer refuses a runtime where it is missing.",
    .wrong = "the step `trainer` with a container `pytorch`",
    .right = "the step `trainer` with a container `node`",
    .check = check,
    .kinds = {JobKind::training_runtime},
};

}  // namespace rollcall::launch::rules
