#include "range/network.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "probe/net/fd.h"

namespace rollcall::range {
namespace {

struct Said {
  int status = -1;
  std::string output;
};

/// `input` goes to the command's standard input.
Said shell(const std::string& command, const std::string& input = {}) {
  const std::string whole =
      input.empty() ? "(" + command + ") 2>&1 </dev/null" : "printf '%s' '" + input + "' | (" + command + ") 2>&1";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(whole.c_str(), "re"), [](FILE*) { return 0; });
  if (!pipe) throw std::runtime_error("popen");
  Said said;
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) > 0;)
    said.output.append(buffer.data(), got);
  said.status = ::pclose(pipe.get());
  return said;
}

std::string must(const std::string& command, const std::string& input = {}) {
  auto said = shell(command, input);
  if (said.status != 0) throw std::runtime_error("`" + command + "` failed: " + said.output);
  return said.output;
}

void work_inside(const std::string& name, const std::function<void()>& work) {
  std::exception_ptr thrown;
  std::thread([&] {
    const probe::Fd there(::open(("/run/netns/" + name).c_str(), O_RDONLY | O_CLOEXEC));
    if (!there.valid() || ::setns(there.get(), CLONE_NEWNET) != 0)
      std::abort();  // a thread of the test outside its namespace would prove nothing
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
  }).join();
  if (thrown) std::rethrow_exception(thrown);
}

/// Namespaces of test programs that were killed: their process is gone.
void remove_leftovers() {
  std::istringstream names(shell("ls /run/netns 2>/dev/null").output);
  for (std::string name; names >> name;) {
    int pid = 0;
    if (std::sscanf(name.c_str(), "rcf-%d-", &pid) == 1 && pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH)
      shell("ip netns del " + name);
  }
}

}  // namespace

std::string Network::unavailable() {
  if (::geteuid() != 0) return "making network namespaces needs root";
  for (const auto* program : {"ip", "iptables", "ethtool"}) {
    if (shell(std::string("command -v ") + program).status != 0) return std::string("no `") + program + "` program";
  }
  const std::string name = "rcf-" + std::to_string(::getpid()) + "-try";
  if (const auto said = shell("ip netns add " + name); said.status != 0)
    return "`ip netns add` is not permitted here: " + said.output;
  const auto rules = shell("ip netns exec " + name + " iptables -w -A INPUT -p tcp -m length --length 9 -j DROP");
  shell("ip netns del " + name);
  return rules.status == 0 ? "" : "iptables has no rules here: " + rules.output;
}

Network::Network(int nodes) {
  remove_leftovers();
  static std::atomic<int> count{0};
  const std::string stem = "rcf-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
  desk_ = stem + "-desk";
  std::string made = "netns add " + desk_ + "\n";
  for (int node = 0; node < nodes; ++node) {
    names_.push_back(stem + "-" + std::to_string(node));
    made += "netns add " + names_.back() + "\n";
  }
  must("ip -batch -", made);
  std::string links = "link set lo up\naddr add " + desk_address() + "/32 dev lo\n";
  for (int node = 0; node < nodes; ++node) {
    const auto port = "n" + std::to_string(node);
    links += "link add " + port + " type veth peer name eth0 netns " + name(node) + "\n";
    links += "link set " + port + " up\naddr add 169.254.1.1/32 dev " + port + "\nroute add " + address(node) +
             "/32 dev " + port + "\n";
  }
  must("ip -n " + desk_ + " -batch -", links);
  at_desk("sysctl -q -w net.ipv4.ip_forward=1");
  for (int node = 0; node < nodes; ++node) {
    must("ip -n " + name(node) + " -batch -", "link set lo up\naddr add " + address(node) +
                                                  "/32 dev eth0\nlink set eth0 up\nroute add 169.254.1.1 dev eth0\n"
                                                  "route add default via 169.254.1.1 dev eth0\n");
  }
}

Network::~Network() {
  std::string gone = "netns del " + desk_ + "\n";
  for (const auto& name : names_) gone += "netns del " + name + "\n";
  if (const auto said = shell("ip -force -batch -", gone); said.status != 0)
    std::fprintf(stderr, "network namespaces are left over: %s\n", said.output.c_str());
}

std::string Network::address(int node) const { return "10.78.0." + std::to_string(node + 1); }

void Network::at(int node, const std::string& command) const { ask(node, command); }

void Network::at_desk(const std::string& command) const { must("ip netns exec " + desk_ + " " + command); }

std::string Network::ask(int node, const std::string& command) const {
  return must("ip netns exec " + name(node) + " " + command);
}

void Network::inside_desk(const std::function<void()>& work) const { work_inside(desk_, work); }
void Network::inside(int node, const std::function<void()>& work) const { work_inside(name(node), work); }

void Network::plain_packets(int node) const {
  at(node, "ethtool -K eth0 tso off gso off gro off tx off");
  at_desk("ethtool -K n" + std::to_string(node) + " tso off gso off gro off");
}

}  // namespace rollcall::range
