#include "probe/support/network.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "probe/net/fd.h"

namespace rollcall::probe::testing {
namespace {

bool run(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

void must(const std::string& command) {
  if (!run(command)) throw std::runtime_error("failed: " + command);
}

}  // namespace

std::string TwoNodes::unavailable() {
  if (::geteuid() != 0) return "making network namespaces needs root";
  if (!run("command -v ip")) return "no `ip` program (package iproute2)";
  if (!run("command -v iptables")) return "no `iptables` program";
  const std::string probe = "rcpt" + std::to_string(::getpid()) + "x";
  if (!run("ip netns add " + probe)) return "`ip netns add` is not permitted here";
  run("ip netns del " + probe);
  return "";
}

TwoNodes::TwoNodes() {
  static int count = 0;
  const std::string stem = "rcpt" + std::to_string(::getpid()) + "n" + std::to_string(count++);
  name_[0] = stem + "a";
  name_[1] = stem + "b";
  for (const auto& name : name_) must("ip netns add " + name);
  must("ip -n " + name_[0] + " link add eth0 type veth peer name eth0 netns " + name_[1]);
  must("ip -n " + name_[0] + " addr add 10.77.0.1/24 dev eth0");
  must("ip -n " + name_[1] + " addr add 10.77.0.2/24 dev eth0");
  for (const auto& name : name_) {
    must("ip -n " + name + " link set lo up");
    must("ip -n " + name + " link set eth0 up");
  }
}

TwoNodes::~TwoNodes() {
  for (const auto& name : name_) run("ip netns del " + name);
}

void TwoNodes::inside(int node, const std::function<void()>& work) const {
  std::thread([&] {
    const Fd there(::open(("/run/netns/" + name_[node]).c_str(), O_RDONLY | O_CLOEXEC));
    if (::setns(there.get(), CLONE_NEWNET) != 0)
      std::abort();  // a thread of the test outside its namespace would prove nothing
    work();
  }).join();
}

bool TwoNodes::iptables(int node, const std::string& arguments) const {
  return run("ip netns exec " + name_[node] + " iptables " + arguments);
}

}  // namespace rollcall::probe::testing
