#include <string>

#include "launch/kinds/train_job/merge.h"
#include "launch/kinds/train_job/policy.h"
#include "launch/rules/trainer/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const std::string& name = launch.object.name;
  const Field spec = train_job::runtime_of(launch)["spec"]["template"]["spec"];
  if (name.empty() || !spec.is_object()) return;
  for (const Role& role : launch.roles) {
    const Fact<std::string>& master = role.told.master;
    // The controller's address, not one that the command writes.
    if (!role.nodes.known() || *role.nodes < 2 || !master.known() || *master != name + "-node-0-0." + name) continue;
    const Field network = spec["network"];
    const Field names = network["enableDNSHostnames"];
    if (names.is_bool() && !names.json().get<bool>()) {
      judgement.add(trainer_address_of_no_pod, names.path())
          .wrong("the pods get no names, and the controller tells them to meet at `{}`.", *master)
          .instead("Leave enableDNSHostnames out.");
      continue;
    }
    const Field subdomain = network["subdomain"];
    if (subdomain.is_string() && subdomain.text() != name) {
      judgement.add(trainer_address_of_no_pod, subdomain.path())
          .wrong("the pods' names end in `.{}`, and the controller tells them to meet at `{}`.", subdomain.text(),
                 *master)
          .instead("Leave the subdomain out: the TrainJob's name is taken.");
      continue;
    }
    const Field jobs = spec["replicatedJobs"];
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (jobs[i]["name"].text() != role.name || role.name == train_job::kNode) continue;
      judgement.add(trainer_address_of_no_pod, jobs[i]["name"].path())
          .wrong("the first pod is called `{}-{}-0-0.{}`, and the controller tells all to meet at `{}`.", name,
                 role.name, name, *master)
          .instead("Call the replicated job `node`.");
    }
  }
}

}  // namespace

const Rule trainer_address_of_no_pod{
    .id = "trainer/address-of-no-pod",
    .severity = Severity::deny,
    .title = "a runtime whose pods do not have the names that the controller hands out",
    .why =
        "The controller makes the address of node rank 0 of the TrainJob's name alone: NAME-node-0-0.NAME. A runtime "
        "that calls its replicated job otherwise, has a subdomain of its own or no DNS names makes pods that nobody "
        "finds there: every node but the first waits for a name that does not resolve.",
    .wrong = "a runtime with network: {subdomain: trainers}",
    .right = "no subdomain",
    .check = check,
    .kinds = {JobKind::train_job},
};

}  // namespace rollcall::launch::rules
