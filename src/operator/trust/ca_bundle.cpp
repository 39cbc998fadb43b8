#include "operator/trust/ca_bundle.h"

#include "kube/base64.h"

namespace rollcall::operator_ {

using nlohmann::json;

namespace {

bool calls(const json& client_config, const WebhookService& service) {
  if (!client_config.is_object()) return false;
  const auto target = client_config.find("service");
  return target != client_config.end() && target->is_object() && target->value("namespace", "") == service.ns &&
         target->value("name", "") == service.name;
}

}  // namespace

std::optional<json> trusting(const json& configuration, const WebhookService& service, const std::string& bundle) {
  const auto wanted = kube::base64_encode(bundle);
  auto mended = configuration;
  bool changed = false;
  if (!mended.contains("webhooks") || !mended["webhooks"].is_array()) return std::nullopt;
  for (auto& webhook : mended["webhooks"]) {
    if (!webhook.contains("clientConfig") || !calls(webhook["clientConfig"], service)) continue;
    auto& held = webhook["clientConfig"]["caBundle"];
    if (held == wanted) continue;
    held = wanted;
    changed = true;
  }
  if (!changed) return std::nullopt;
  return mended;
}

Result<Healed> keep_ca_bundle(kube::Client& client, const std::string& configuration, const WebhookService& service,
                              const std::string& bundle) {
  const auto words = "ValidatingWebhookConfiguration " + configuration;
  for (int tries = 3;; --tries) {
    const auto reply = client.get(kube::kWebhookConfigurations, "", configuration);
    if (!reply) {
      if (reply.error().not_found()) return Healed::Absent;
      return Error{"reading " + words + ": " + reply.error().text(), reply.error().reason};
    }
    const auto mended = trusting(reply.value(), service, bundle);
    if (!mended) return Healed::True;
    // A merge patch replaces lists whole; the resourceVersion sees to it that it is the list that was read.
    const nlohmann::json patch = {
        {"metadata", {{"resourceVersion", mended->at("metadata").value("resourceVersion", "")}}},
        {"webhooks", mended->at("webhooks")}};
    const auto written = client.merge_patch(kube::kWebhookConfigurations, "", configuration, patch);
    if (written) return Healed::Mended;
    if (written.error().not_found()) return Healed::Absent;
    if (!written.error().conflict() || tries == 1)
      return Error{"writing the caBundle of " + words + ": " + written.error().text(), written.error().reason};
  }
}

}  // namespace rollcall::operator_
