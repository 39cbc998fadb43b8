#include "webhook/start/program.h"

namespace rollcall::webhook {

Status connect_client(Program& program) {
  auto credentials = kube::program_credentials(program.flags.kubeconfig);
  if (!credentials) return credentials.error();
  kube::ClientOptions options;
  options.user_agent = "rollcall-webhook";
  options.on_request = [&program](const kube::RequestSent& sent) { program.standard.request(sent); };
  auto client = kube::Client::make(std::move(*credentials), std::move(options));
  if (!client) return client.error();
  program.client = std::move(*client);
  return Done{};
}

}  // namespace rollcall::webhook
