#include "operator/remove_webhooks.h"

#include <memory>

#include "telemetry/log.h"

namespace rollcall::operator_ {

Status remove_webhooks(kube::Client& client, const std::string& name) {
  // Without a uid: whatever stands under this name asks our webhook, and a second sending finds nothing.
  const auto reply = client.remove(kube::kWebhookConfigurations, "", name);
  if (reply || reply.error().not_found()) return Done{};
  return Error{"ValidatingWebhookConfiguration " + name + " cannot be removed: " + reply.error().text() +
                   ". While it stands and no webhook answers, TrainingJobs can be neither made nor changed. Remove it "
                   "by hand: kubectl delete validatingwebhookconfiguration " +
                   name,
               reply.error().reason};
}

int remove_webhooks_main(const std::string& name, const std::string& kubeconfig) {
  log::start();
  kube::initialize(1);
  const auto removed = [&]() -> Status {
    auto credentials = kube::program_credentials(kubeconfig);
    if (!credentials) return credentials.error();
    auto client = kube::Client::make(std::move(credentials.value()), {.user_agent = "rollcall-uninstall"});
    if (!client) return client.error();
    return remove_webhooks(*client.value(), name);
  }();
  if (!removed) {
    log::error("webhook configuration not removed", {{"name", name}, {"why", removed.error().message}});
    return 1;
  }
  log::info("webhook configuration removed", {{"name", name}});
  return 0;
}

}  // namespace rollcall::operator_
