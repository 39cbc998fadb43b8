#include "desk/start/program.h"

namespace rollcall::desk {

Status connect_client(Program& program) {
  auto credentials = program.flags.kubeconfig.empty() ? kube::in_cluster_credentials()
                                                      : kube::kubeconfig_credentials(program.flags.kubeconfig);
  if (!credentials) return credentials.error();
  auto client = kube::Client::make(std::move(*credentials));
  if (!client) return client.error();
  program.client = std::move(*client);
  return Done{};
}

}  // namespace rollcall::desk
