// Desk and webhook open connections to the API server and to nobody else, whatever they are sent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "e2e/add_on.h"

namespace rollcall::e2e {
namespace {

namespace fs = std::filesystem;

/// Processes of this machine with that name: the nodes are on it.
std::vector<int> processes(const std::string& name) {
  std::vector<int> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string pid = entry.path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream line(entry.path() / "cmdline");
    std::string program;
    std::getline(line, program, '\0');
    if (program == name || program.ends_with("/" + name)) found.push_back(std::stoi(pid));
  }
  return found;
}

struct Socket {
  int local_port = 0;
  std::string remote;  ///< as /proc has it, hexadecimal ADDRESS:PORT
  int state = 0;
};
constexpr int kListen = 10;

std::vector<Socket> sockets(int pid, const char* table) {
  std::vector<Socket> found;
  std::ifstream file("/proc/" + std::to_string(pid) + "/net/" + table);
  std::string line;
  std::getline(file, line);  // the heads of the columns
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string number, local, remote, state;
    words >> number >> local >> remote >> state;
    if (state.empty()) continue;
    found.push_back(
        {std::stoi(local.substr(local.rfind(':') + 1), nullptr, 16), remote, std::stoi(state, nullptr, 16)});
  }
  return found;
}

/// Remote ends of connections that the process's pod opened: those whose own port it does not listen on.
std::set<std::string> opened(int pid) {
  std::set<int> listening;
  std::set<std::string> remotes;
  for (const char* table : {"tcp", "tcp6"}) {
    for (const Socket& socket : sockets(pid, table)) {
      if (socket.state == kListen) listening.insert(socket.local_port);
    }
  }
  for (const char* table : {"tcp", "tcp6"}) {
    for (const Socket& socket : sockets(pid, table)) {
      if (listening.count(socket.local_port) == 0) remotes.insert(socket.remote);
    }
  }
  for (const char* table : {"udp", "udp6"}) {  // a look-up of a name would be one
    for (const Socket& socket : sockets(pid, table)) remotes.insert(std::string(table) + " " + socket.remote);
  }
  return remotes;
}

/// Counts what a pod begins towards anybody but the API server, by a rule of the pod's node, for as long as this lives.
class Counted {
 public:
  explicit Counted(const Json& pod)
      : node_(node_number(pod["spec"]["nodeName"])),
        rule_{"-s", pod["status"]["podIP"], "!", "-d", kApiServer, "-m", "conntrack", "--ctstate", "NEW"},
        standing_(node_, "FORWARD", rule_) {}
  /// Packets so far, or -1 when the rule cannot be read.
  int packets() const {
    std::istringstream lines(cluster({"node", std::to_string(node_), "iptables", "-w", "-vnxL", "FORWARD"}));
    for (std::string line; std::getline(lines, line);) {
      if (line.find(" " + rule_[1] + " ") != std::string::npos && line.find("ctstate NEW") != std::string::npos)
        return std::stoi(line);
    }
    return -1;
  }

 private:
  static constexpr auto kApiServer = "10.209.0.1";  // docs/local-cluster.md: after kube-proxy
  int node_;
  std::vector<std::string> rule_;
  NodeRule standing_;
};

TEST(Outbound, DeskAndWebhookConnectToTheApiServerAlone) {
  ROLLCALL_WORLD(world);
  AddOn add_on(world);
  std::vector<std::unique_ptr<Counted>> counted;
  for (const char* program : {"desk", "webhook"}) {
    for (const Json& pod : add_on.pods(program)) counted.push_back(std::make_unique<Counted>(pod));
  }
  ASSERT_EQ(counted.size(), 4U);

  // A whole roll call, and reviews of a job that is full of places to go to.
  Json tempting = faulty_job("tempting");
  tempting["metadata"]["namespace"] = world.ns();
  tempting["metadata"]["annotations"] = {{"webhook", "http://10.209.0.12:10250/"}};
  tempting["spec"]["rendezvous"] = {{"masterAddr", "attacker.example.com"}};
  tempting["spec"]["template"]["spec"]["containers"][0]["image"] = "registry.attacker.example.com/x:1";
  tempting["spec"]["template"]["spec"]["containers"][0]["command"] = {
      "torchrun", "--rdzv-endpoint=http://169.254.169.254/latest", "train.py"};
  for (int i = 0; i < 5; ++i)
    EXPECT_FALSE(world.api().create(kube::kTrainingJobs, world.ns(), tempting, {.dry_run = true}).ok());
  world.start(training_job("called"));
  world.wait_for_phase("called", "Succeeded", seconds(120));

  for (const auto& each : counted) EXPECT_EQ(each->packets(), 0);
  const auto service = world.api().get({"", "v1", "services", true}, "default", "kubernetes");
  ASSERT_TRUE(service.ok());
  ASSERT_EQ(service.value()["spec"]["clusterIP"], "10.211.0.1");
  const std::string api_server = "0100D30A:01BB";  // 10.211.0.1:443, as /proc writes it
  const std::string api_server6 = "0000000000000000FFFF00000100D30A:01BB";
  for (const char* program : {"rollcall-desk", "rollcall-webhook"}) {
    const auto pids = processes(program);
    ASSERT_EQ(pids.size(), 2U) << program;
    for (const int pid : pids) {
      const auto remotes = opened(pid);
      EXPECT_FALSE(remotes.empty()) << "it watches the API server";
      for (const auto& remote : remotes)
        EXPECT_TRUE(remote == api_server || remote == api_server6) << program << " has opened " << remote;
    }
  }

  // What stands above would be worth nothing if the rules counted nothing: connections from a desk's network to two
  // nodes, since what goes to the desk's own node is not forwarded.
  for (const char* address : {"10.209.0.12", "10.209.0.13"})
    cluster({"node", "1", "nsenter", "-t", std::to_string(processes("rollcall-desk").at(0)), "-n", "bash", "-c",
             std::string("timeout 3 bash -c '</dev/tcp/") + address + "/10250' || true"});
  int packets = 0;
  for (const auto& each : counted) packets += each->packets();
  EXPECT_GT(packets, 0);
}

}  // namespace
}  // namespace rollcall::e2e
