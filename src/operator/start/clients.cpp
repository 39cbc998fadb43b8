#include "operator/start/program.h"

namespace rollcall::operator_ {

Status connect_clients(Program& program) {
  kube::initialize(2);
  const auto& flags = program.options;
  auto credentials = kube::program_credentials(flags.kubeconfig);
  if (!credentials) return credentials.error();
  const auto count = [&program](const kube::RequestSent& sent) { program.metrics.standard().request(sent); };

  kube::ClientOptions options;
  options.user_agent = "rollcall-operator";
  options.qps = flags.client_qps;
  options.burst = flags.client_burst;
  options.on_request = count;
  auto client = kube::Client::make(*credentials, options);
  if (!client) return client.error();
  program.client = std::move(*client);
  if (!flags.leader_elect) return Done{};

  options = kube::Elector::client_options(flags.lease);
  options.user_agent = "rollcall-operator-lease";
  options.on_request = count;
  client = kube::Client::make(std::move(*credentials), options);
  if (!client) return client.error();
  program.lease_client = std::move(*client);
  return Done{};
}

}  // namespace rollcall::operator_
