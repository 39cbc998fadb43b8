#include "soak/faults.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "e2e/add_on.h"

namespace rollcall::soak {

using e2e::cluster;
using std::chrono::steady_clock;

Faults::Faults(std::uint64_t seed, std::function<std::vector<Victim>()> victims)
    : random_(seed), victims_(std::move(victims)), thread_([this] { run(); }) {}

void Faults::stop() {
  ended_ = true;
  if (thread_.joinable()) thread_.join();
}

std::set<std::string> Faults::nodes_taken(steady_clock::time_point since) const {
  const std::scoped_lock lock(mutex_);
  std::set<std::string> found;
  for (const auto& [node, when] : taken_)
    if (when >= since) found.insert(node);
  return found;
}

void Faults::took(int node) {
  const std::scoped_lock lock(mutex_);
  taken_[fmt::format("node-{}", node)] = steady_clock::now();
}

/// A fault's length and the pause between two: time is what they are made of.
void Faults::let_pass(int length) const {
  e2e::World::eventually(std::chrono::seconds(length), [] { return false; });
}

void Faults::run() {
  struct Fault {
    const char* name;
    std::function<void()> does;
  };
  const std::vector<Fault> faults = {
      {"leading desk stood still for 20 s", [&] { leader_stands_still("desk"); }},
      {"leading operator stood still for 20 s", [&] { leader_stands_still("operator"); }},
      {"leading desk killed",
       [&] {
         cluster({"kill", "--leader", "desk"});
       }},
      {"leading operator killed",
       [&] {
         cluster({"kill", "--leader", "operator"});
       }},
      {"all desks killed",
       [&] {
         cluster({"kill", "desk"});
       }},
      {"all operators killed",
       [&] {
         cluster({"kill", "operator"});
       }},
      {"all webhooks killed",
       [&] {
         cluster({"kill", "webhook"});
       }},
      {"API server away for 10 to 60 s", [&] { api_server_away(); }},
      {"node drained", [&] { node_drained(); }},
      {"rolling upgrade of desk", [&] { rolled_out("desk"); }},
      {"rolling upgrade of operator", [&] { rolled_out("operator"); }},
      {"rolling upgrade of webhook", [&] { rolled_out("webhook"); }},
      {"ephemeral ports dropped between two nodes",
       [&] {
         wall({"--dport", "32768:60999"});
       }},
      {"MASTER_PORT dropped on a node",
       [&] {
         wall({"--dport", "29500"});
       }},
      {"kubelet deaf", [&] { kubelet_deaf(); }},
      {"kubelet restarted",
       [&] {
         cluster({"restart", "kubelet", std::to_string(random_.between(1, 3))});
       }},
      {"sandbox killed", [&] { sandbox_killed(); }},
  };
  std::vector<const Fault*> deck;  // each comes once before one comes again
  const auto begin = steady_clock::now();
  while (!ended_) {
    if (deck.empty())
      for (const Fault& one : faults) deck.push_back(&one);
    const auto drawn = deck.begin() + random_.between(0, static_cast<int>(deck.size()) - 1);
    const Fault& fault = **drawn;
    deck.erase(drawn);
    const auto since = std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - begin).count();
    std::printf("%4lld s: %s\n", static_cast<long long>(since), fault.name);
    std::fflush(stdout);
    fault.does();
    ++counts_[fault.name];
    const auto pause = std::chrono::seconds(random_.between(3, 15));
    e2e::World::eventually(pause, [&] { return ended_.load(); });
  }
}

void Faults::leader_stands_still(const std::string& program) {
  cluster({"kill", "--signal", "STOP", "--leader", program});
  let_pass(20);
  cluster({"kill", "--signal", "CONT", program});
}

void Faults::api_server_away() {
  cluster({"stop", "apiserver"});
  let_pass(random_.between(10, 60));
  cluster({"start", "apiserver"});
}

void Faults::node_drained() {
  const int number = random_.between(1, 3);
  const std::string node = fmt::format("node-{}", number);
  took(number);
  const auto drained = e2e::kubectl({"drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=90s"},
                                    std::chrono::seconds(100));
  EXPECT_TRUE(drained.ok()) << drained.text;
  let_pass(random_.between(0, 10));
  const auto open = e2e::kubectl({"uncordon", node});
  EXPECT_TRUE(open.ok()) << open.text;
  took(number);
}

void Faults::rolled_out(const std::string& program) {
  const std::string deployment = "deployment/rollcall-" + program;
  const std::string ns = e2e::kAddOnNamespace;
  const auto begun = e2e::kubectl({"-n", ns, "rollout", "restart", deployment});
  EXPECT_TRUE(begun.ok()) << begun.text;
  const auto done =
      e2e::kubectl({"-n", ns, "rollout", "status", deployment, "--timeout=120s"}, std::chrono::seconds(130));
  EXPECT_TRUE(done.ok()) << done.text;
}

void Faults::wall(const std::vector<std::string>& words) {
  const int to = random_.between(1, 3);
  const int from = to % 3 + 1;
  std::vector<std::string> rule{"-s", fmt::format("10.210.{}.0/24", from), "-p", "tcp", "--syn"};
  rule.insert(rule.end(), words.begin(), words.end());
  rule.insert(rule.end(), {"-j", "DROP"});
  const e2e::NodeRule standing(to, "FORWARD", rule);
  let_pass(random_.between(10, 40));
}

void Faults::kubelet_deaf() {
  const int node = random_.between(1, 3);
  const e2e::NodeRule cut(node, "OUTPUT", {"-p", "tcp", "--dport", "16443", "-j", "DROP"});
  const e2e::NodeRule deaf(node, "INPUT", {"-p", "tcp", "--sport", "16443", "-j", "DROP"});
  let_pass(random_.between(5, 25));
}

void Faults::sandbox_killed() {
  const auto victims = victims_();
  if (victims.empty()) return;
  const Victim& victim = random_.one_of(victims);
  took(victim.node);
  // It may have ended of itself since it was listed: then there is nothing to kill, and nothing was.
  const std::string command =
      fmt::format("'{}/dev/cluster' kill-sandbox {} {} >/dev/null 2>&1", ROLLCALL_SOURCE_DIR, victim.node, victim.pod);
  if (std::system(command.c_str()) != 0) std::printf("        %s had ended\n", victim.pod.c_str());
}

}  // namespace rollcall::soak
