#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "api/names.h"
#include "kube/leader/elector.h"
#include "operator/trust/authority.h"

namespace rollcall::operator_ {

struct Options {
  std::string remove_webhooks;  ///< not empty: remove that configuration and end
  std::string ns;               ///< Rollcall's own namespace: Secrets, Lease and Services
  std::string probe_image;
  std::string probe_image_pull_policy;  ///< empty = the cluster's default
  std::string bundled_probe_image;      ///< of jobs with rollCall.nccl: Bundled; empty = they are refused
  std::string kubeconfig;               ///< empty = the pod's own service account
  std::uint16_t health_port = 8081;
  std::uint16_t metrics_port = 8080;  ///< 0 = not served

  std::string desk_service = api::names::kDeskService;
  std::string webhook_service = api::names::kWebhookService;  ///< empty = there is no webhook
  std::vector<std::string> webhook_configurations{api::names::kWebhookConfiguration};

  bool external_certificates = false;
  bool keep_ca_bundle = true;
  Lifetimes lifetimes = {};

  std::vector<std::string> watch_namespaces;  ///< empty = all
  bool rules_refuse = true;                   ///< --enforcement=deny
  bool leader_elect = true;
  kube::LeaseTimes lease = {};
  int workers = 2;
  double client_qps = -1;
  int client_burst = 0;
};

/// The options, or the exit code after help, version or a usage error was printed.
std::variant<Options, int> options_from(int argc, const char* const* argv);

}  // namespace rollcall::operator_
