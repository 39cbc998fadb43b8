#pragma once

#include <functional>
#include <string>
#include <vector>

namespace rollcall::range {

/// The job's nodes as network namespaces round a router, where the desk is too: node i is 10.78.0.(i + 1) with a /32
/// and a route to a link-local gateway, much as Calico makes pods; the desk is 10.78.255.254. (On a bridge 64 nodes
/// would be 4,032 neighbours, four times what the kernel keeps for all namespaces together.) Every node has its own
/// loopback, ports and firewall, so what is broken here is broken in the kernel. Not separate machines: kernel, clock,
/// file system and CPUs are shared. Namespaces are named rcf-PID-…; all of them are removed at the end, those of a
/// killed program by the next one. One thread at a time.
class Network {
 public:
  /// Empty when such networks can be made here, else why not, for GTEST_SKIP.
  static std::string unavailable();

  explicit Network(int nodes);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  int nodes() const { return static_cast<int>(names_.size()); }
  std::string address(int node) const;
  static std::string desk_address() { return "10.78.255.254"; }
  const std::string& name(int node) const { return names_[static_cast<std::size_t>(node)]; }

  /// Runs `command` (a shell's) in a node's namespace; throws with its output when it fails: a fault that was not made
  /// would let its row pass for nothing.
  void at(int node, const std::string& command) const;
  void at_desk(const std::string& command) const;
  /// What `command` prints in a node's namespace.
  std::string ask(int node, const std::string& command) const;

  /// Runs `work` on a thread in the desk's namespace and waits for it; sockets and threads it makes stay there.
  void inside_desk(const std::function<void()>& work) const;
  void inside(int node, const std::function<void()>& work) const;

  /// Packets are as large on the wire as the sender's segments: without it netfilter sees one packet of 64 KiB.
  void plain_packets(int node) const;

 private:
  std::vector<std::string> names_;
  std::string desk_;
};

}  // namespace rollcall::range
