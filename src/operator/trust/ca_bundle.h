#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "kube/client.h"

namespace rollcall::operator_ {

/// The Service that an admission webhook of ours stands behind.
struct WebhookService {
  std::string ns, name;
};

/// A webhook configuration whose webhooks of ours (those that call `service`) trust `bundle` and nothing else; nullopt
/// when they do already. Webhooks of others in it are left as they are, and so is every other field.
std::optional<nlohmann::json> trusting(const nlohmann::json& configuration, const WebhookService& service,
                                       const std::string& bundle);

enum class Healed {
  True,    ///< it stood as it should
  Mended,  ///< it was written
  Absent,  ///< no such configuration: the webhook is switched off
};
/// Reads the ValidatingWebhookConfiguration and mends what `trusting` would change, by a patch with the resourceVersion
/// that was read, up to three times when others write too. Rights: get, patch of that name.
Result<Healed> keep_ca_bundle(kube::Client& client, const std::string& configuration, const WebhookService& service,
                              const std::string& bundle);

}  // namespace rollcall::operator_
