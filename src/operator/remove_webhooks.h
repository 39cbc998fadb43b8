#pragma once

#include <string>

#include "base/result.h"
#include "kube/client.h"

namespace rollcall::operator_ {

/// Removes the ValidatingWebhookConfiguration `name`, so that the API server asks no webhook that is about to go. One
/// that is not there is as good. An Error says what a person can do in its place. Asks once: who runs it tries again
/// (the chart's Job does, with back-off).
Status remove_webhooks(kube::Client& client, const std::string& name);

/// The whole of `rollcall-operator --remove-webhooks NAME`, what the chart runs before an uninstall: an exit code.
/// `kubeconfig` empty = the pod's own service account.
int remove_webhooks_main(const std::string& name, const std::string& kubeconfig);

}  // namespace rollcall::operator_
