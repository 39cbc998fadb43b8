#include "launch/rules/world/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  const Field elastic = launch.root["spec"]["elasticPolicy"];
  if (!elastic.is_object() || launch.roles.size() < 2) return;
  const Fact<int>& workers = launch.roles[1].pods;
  const Field most = elastic["maxReplicas"];
  if (!workers.known() || (most.present() && !most.is_integer())) return;
  const long long taken = most.present() ? most.json().get<long long>() : *workers;
  if (taken > *workers) return;
  judgement.add(world_elastic_beside_master, elastic.path())
      .wrong("at most {} nodes are taken, but {} Workers and a Master start.", taken, *workers)
      .instead("Leave the Master out and write {} Workers, or leave elasticPolicy out.", *workers + 1);
}

}  // namespace

const Rule world_elastic_beside_master{
    .id = "world/elastic-beside-master",
    .severity = Severity::deny,
    .title = "an elasticPolicy that leaves the Master out",
    .why =
        "With an elasticPolicy the controller counts the Workers alone as nodes. A Master beside them starts too and "
        "is one more than the world takes: it is left outside, or another node is.",
    .wrong = "elasticPolicy with Master: {replicas: 1} and Worker: {replicas: 2}",
    .right = "elasticPolicy with Worker: {replicas: 3}",
    .check = check,
    .kinds = {JobKind::pytorch_job},
};

}  // namespace rollcall::launch::rules
