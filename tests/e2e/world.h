#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kube/client.h"

/// What an end-to-end test stands on: a namespace of its own on the cluster that `dev/cluster up` made and `dev/cluster
/// install` put Rollcall on. Every wait is bounded and says what it waited for and what it saw last.
namespace rollcall::e2e {

using Json = nlohmann::json;
using std::chrono::seconds;

/// A TrainingJob of the tests' own trainer, on as many different nodes as it has pods.
struct JobOptions {
  int nnodes = 3;
  std::vector<std::string> args = {"--meet"};
  std::string image = "rollcall/e2e-trainer:dev";
  std::vector<std::string> command = {};
  Json roll_call = Json::object();  ///< spec.rollCall
  Json spec = Json::object();       ///< merged over spec
  Json pod_spec = Json::object();   ///< merged over spec.template.spec
  Json trainer = Json::object();    ///< merged over the trainer container
  bool spread = true;               ///< at most one pod a node
};
Json training_job(const std::string& name, const JobOptions& options = {});

class World {
 public:
  /// nullptr when there is no cluster: the test must skip.
  static std::unique_ptr<World> make(const Json& namespace_labels = Json::object());
  ~World();  ///< deletes the namespace
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  kube::Client& api() { return *api_; }
  const std::string& ns() const { return ns_; }

  void create(const kube::Resource& resource, Json object);
  void start(const Json& job);
  Json job(const std::string& name);
  /// The RollCall of an attempt, or null.
  Json roll_call(const std::string& job, int attempt = 1);
  /// Pods of a job in this namespace, by node rank.
  std::vector<Json> pods(const std::string& job);
  std::string log(const std::string& pod, const std::string& container);

  /// Waits until `seen(job)`; fails the test with the job's status when it does not come. Returns the last object.
  Json wait_for(const std::string& job, const std::string& what, seconds limit,
                const std::function<bool(const Json&)>& seen);
  Json wait_for_phase(const std::string& job, const std::string& phase, seconds limit);
  /// Any condition, looked at every 100 ms; false when it did not come.
  static bool eventually(seconds limit, const std::function<bool()>& seen);
  void annotate(const std::string& job, const std::string& key, const std::string& value);
  std::vector<Json> events(const std::string& object_name);

 private:
  World() = default;
  std::unique_ptr<kube::Client> api_;
  std::string ns_;
};

/// `dev/cluster ARGS…`; fails the test on a non-zero exit. Returns its output.
std::string cluster(const std::vector<std::string>& arguments);
/// 1-based number of the node called `node-name`.
int node_number(const std::string& node_name);

/// A packet filter rule on one node for as long as this lives.
class NodeRule {
 public:
  /// `rule` is iptables' words after the chain: `-s A -d B -p tcp --syn -j DROP`.
  NodeRule(int node, std::string chain, std::vector<std::string> rule);
  ~NodeRule();
  void remove();
  NodeRule(const NodeRule&) = delete;
  NodeRule& operator=(const NodeRule&) = delete;

 private:
  int node_;
  std::string chain_;
  std::vector<std::string> rule_;
  bool standing_ = false;
};

/// On node `to`: new connections from pods of node `from` to ephemeral ports of its pods are dropped, as a stateful
/// firewall does; 29500 stays open.
NodeRule wall_between_nodes(int from, int to);

/// A program in a node's network for as long as this lives.
class NodeProcess {
 public:
  NodeProcess(int node, const std::vector<std::string>& command);
  ~NodeProcess();  ///< SIGTERM, then waits
  NodeProcess(const NodeProcess&) = delete;
  NodeProcess& operator=(const NodeProcess&) = delete;

 private:
  int pid_ = -1;
};

/// The value after `KEY=` in a trainer's first line, or nullopt when it printed none.
std::optional<std::string> printed(const std::string& log, const std::string& key);

std::string phase(const Json& job);
std::string message(const Json& job);
/// status of a condition, or "".
std::string condition(const Json& job, const std::string& type);
std::string condition_reason(const Json& job, const std::string& type);

}  // namespace rollcall::e2e

#define ROLLCALL_WORLD(world, ...)                                                               \
  const auto world##_owner = rollcall::e2e::World::make(__VA_ARGS__);                            \
  if (!world##_owner) GTEST_SKIP() << "no cluster: KUBECONFIG is not set (dev/test starts one)"; \
  auto& world = *world##_owner
