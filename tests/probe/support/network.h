#pragma once

#include <functional>
#include <string>

namespace rollcall::probe::testing {

/// Two network namespaces joined by a veth pair, 10.77.0.1 and 10.77.0.2, as two nodes are; removed at the end.
class TwoNodes {
 public:
  /// Empty when namespaces can be made here, else why not, for GTEST_SKIP.
  static std::string unavailable();

  TwoNodes();
  ~TwoNodes();
  TwoNodes(const TwoNodes&) = delete;
  TwoNodes& operator=(const TwoNodes&) = delete;

  static constexpr auto kFirst = "10.77.0.1";
  static constexpr auto kSecond = "10.77.0.2";

  /// Runs `work` on a thread inside the first (0) or second (1) namespace and waits for it; sockets and threads it
  /// makes stay there.
  void inside(int node, const std::function<void()>& work) const;
  /// Runs `iptables ARGUMENTS` in a namespace; true when it succeeded.
  bool iptables(int node, const std::string& arguments) const;

 private:
  std::string name_[2];
};

}  // namespace rollcall::probe::testing
