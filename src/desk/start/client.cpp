#include "desk/start/program.h"

namespace rollcall::desk {

Status connect_client(Program& program) {
  kube::initialize(2U);
  const auto connect = [&program](kube::ClientOptions options) -> Result<std::unique_ptr<kube::Client>> {
    auto credentials = kube::program_credentials(program.flags.kubeconfig);
    if (!credentials) return credentials.error();
    options.user_agent = "rollcall-desk";
    options.on_request = [&program](const kube::RequestSent& sent) { program.metrics.standard().request(sent); };
    return kube::Client::make(std::move(*credentials), std::move(options));
  };
  auto client = connect({});
  if (!client) return client.error();
  program.client = std::move(*client);
  auto lease_client = connect(kube::Elector::client_options(program.flags.lease));
  if (!lease_client) return lease_client.error();
  program.lease_client = std::move(*lease_client);
  return Done{};
}

}  // namespace rollcall::desk
