#include <string>

#include "launch/rules/host_network/family.h"

namespace rollcall::launch::rules {
namespace {

/// Whether the Worker's sshd takes port 22 for certain: the controller's own command, or one that names no port and no
/// file that could.
bool takes_port_22(const Launch& launch, const Field& container) {
  const Field command = container["command"];
  // An MPIJob of v1 starts a sleep in its Workers, and ranks by kubectl exec.
  if (command.size() == 0 && container["args"].size() == 0)
    return launch.root["apiVersion"].text().ends_with("/v2beta1");
  if (!command[0].text().ends_with("sshd")) return false;
  for (const char* list : {"command", "args"}) {
    for (std::size_t i = 0; i < container[list].size(); ++i) {
      const std::string word = container[list][i].text();
      if (word.starts_with("-p") || word.starts_with("-f") || word.starts_with("-o")) return false;
    }
  }
  return true;
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    if (role.leads || !role.host_network || !role.container.present() || !takes_port_22(launch, role.container))
      continue;
    judgement.add(host_network_ssh_port_of_the_node, role.pod_template["spec"]["hostNetwork"].path())
        .wrong("the Workers' sshd wants port 22 on the host network, where the node's own sshd has it.")
        .instead(
            "Start /usr/sbin/sshd -De -p 2222 and give the Launcher OMPI_MCA_plm_rsh_args: \"-p 2222\", or leave out "
            "hostNetwork.");
  }
}

}  // namespace

const Rule host_network_ssh_port_of_the_node{
    .id = "host-network/ssh-port-of-the-node",
    .severity = Severity::warn,
    .title = "sshd on the host network at the node's own ssh port",
    .why =
        "On the host network the Worker's sshd cannot listen where the node's does. It ends, or mpirun logs in to the "
        "node instead of the pod and is refused.",
    .wrong = "hostNetwork: true in the Worker of an MPIJob",
    .right = "the same with sshd -p 2222 and OMPI_MCA_plm_rsh_args: \"-p 2222\"",
    .check = check,
    .kinds = {JobKind::mpi_job},
};

}  // namespace rollcall::launch::rules
