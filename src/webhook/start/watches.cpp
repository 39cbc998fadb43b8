#include <map>
#include <string>

#include "webhook/start/program.h"

namespace rollcall::webhook {
namespace {

PolicyBook::Labels labels_of(const kube::Json& object) {
  PolicyBook::Labels labels;
  const auto meta = object.find("metadata");
  if (meta == object.end()) return labels;
  const auto found = meta->find("labels");
  if (found == meta->end() || !found->is_object()) return labels;
  for (const auto& [key, value] : found->items()) {
    if (value.is_string()) labels.emplace(key, value.get<std::string>());
  }
  return labels;
}

std::string name_of(const kube::Json& object) { return object.at("metadata").at("name").get<std::string>(); }

std::unique_ptr<kube::Reflector> watch(Program& program, const kube::Resource& resource,
                                       kube::Reflector::Callbacks callbacks) {
  return std::make_unique<kube::Reflector>(*program.client, resource, "", std::map<std::string, std::string>{},
                                           std::move(callbacks));
}

void take_policy(Program& program, const kube::Json& object) {
  const std::string name = name_of(object);
  auto policy = api::rollcall_policy_from(object);
  if (!policy) {
    log::error("RollcallPolicy cannot be read; nothing is admitted or refused until it is corrected",
               {{"policy", name}, {"error", policy.error().message}});
  } else {
    for (const std::string& rule : launch::unknown_rules(*policy))
      log::warn("RollcallPolicy names a rule this version does not have", {{"policy", name}, {"rule", rule}});
  }
  program.policies.policy_changed(name, std::move(policy));
}

}  // namespace

Status start_watches(Program& program) {
  PolicyBook& policies = program.policies;
  // Whichever list is complete last opens the book.
  const auto synced = [&program] {
    if (program.policy_watch->synced() && program.namespace_watch->synced()) program.policies.open();
  };
  policies.on_namespace([&program](const std::string& name) { program.waiting.came(name); });
  program.policy_watch = watch(program, kube::kRollcallPolicies,
                               {.upsert = [&program](const kube::Json& object) { take_policy(program, object); },
                                .removed = [&policies](const std::string&, const std::string& name,
                                                       const std::string&) { policies.policy_removed(name); },
                                .synced = synced});
  program.namespace_watch = watch(
      program, kube::kNamespaces,
      {.upsert =
           [&policies](const kube::Json& object) { policies.namespace_changed(name_of(object), labels_of(object)); },
       .removed = [&policies](const std::string&, const std::string& name,
                              const std::string&) { policies.namespace_removed(name); },
       .synced = synced});
  program.runtime_watch = std::make_unique<RuntimeWatch>(
      *program.client, program.runtimes, RuntimeWatch::Options{.on_change = [](bool served) {
        log::info(served ? "the cluster has Kubeflow Trainer: its runtimes are read" : "Kubeflow Trainer is gone");
      }});
  program.policy_watch->start();
  program.namespace_watch->start();
  program.runtime_watch->start();
  return Done{};
}

}  // namespace rollcall::webhook
