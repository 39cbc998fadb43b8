#include <string>

#include "launch/kinds/context.h"
#include "launch/rules/rendezvous/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  if (launch.around == nullptr) return;
  for (const Role& role : launch.roles) {
    const Field subdomain = role.pod_template["spec"]["subdomain"];
    const std::string name = subdomain.text();
    const Told& told = role.told;
    if (name.empty() || !told.master.known() || !told.least_nodes.known() || *told.least_nodes < 2) continue;
    const std::string end = "." + name;
    if (!told.master->ends_with(end) && told.master->find(end + ".") == std::string::npos) continue;
    const std::string& space = launch.object.namespace_name;
    if (launch.around->service(space, name) != nullptr) continue;
    const Service* other =
        launch.around->headless_service_of(space, labels_of(role.pod_template["metadata"]["labels"]));
    if (other == nullptr) continue;
    judgement.add(rendezvous_subdomain_of_another_service, subdomain.path())
        .wrong("{}`{}` takes a Service `{}`, but the one here that selects these pods is `{}`.", told.master_what,
               *told.master, name, other->name)
        .instead("Give the Service that name, or write subdomain: {} and addresses that end in it.", other->name);
  }
}

}  // namespace

const Rule rendezvous_subdomain_of_another_service{
    .id = "rendezvous/subdomain-of-another-service",
    .severity = Severity::warn,
    .title = "a subdomain that is no Service, beside a Service for these pods",
    .why =
        "A pod has the name HOSTNAME.SUBDOMAIN only where a headless Service is called like its subdomain. The Service "
        "beside it, which selects the pod, has another name.",
    .wrong = "subdomain: llama with a headless Service llamas that selects the pod",
    .right = "subdomain: llama with a Service llama",
    .check = check,
    .kinds = {JobKind::pod, JobKind::batch_job},
};

}  // namespace rollcall::launch::rules
