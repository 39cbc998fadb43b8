#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What NCCL's log (NCCL_DEBUG=INFO) says of the transport it chose and of what went wrong. NCCL has no function that
/// tells it. The phrases stand in NCCL's sources from 2.18 to 2.32 (transport/net.cc, p2p.cc, shm.cc, init.cc,
/// plugin/net.cc) and in the plugins' own; the reader is tolerant and takes what it knows.
namespace rollcall::child {

class NcclLog {
 public:
  /// Adds lines; the last may be unfinished, its rest comes with the next call. A line beyond kLongestLine is left out.
  void read(std::string_view text);

  /// "IB", "Socket", "AWS Libfabric": of "Using network"; empty = not said.
  const std::string& network() const { return network_; }
  /// Of libfabric: "efa", "tcp".
  const std::string& provider() const { return provider_; }
  /// "mlx5_0:1", or the interfaces when the network is Socket; in NCCL's order.
  const std::vector<std::string>& devices() const;
  /// What this rank's channels go through: the network's class when one of them leaves the node, else "nvlink", "other"
  /// (PCIe) or "shm". NVLink between nodes is "nvlink". Empty: no channel was logged.
  std::string transport() const;
  /// A channel through the network reads GPU memory by the NIC itself.
  bool gdr() const { return gdr_; }

  /// The warning that tells most: the first that names a cause, else the last that is not a mere consequence, else the
  /// last. Empty: none.
  std::string error() const;
  bool warned() const { return !warnings_.empty(); }

 private:
  void line(std::string_view text);
  void message(std::string_view text);
  void warning(std::string_view text);
  void channel(std::string_view via);

  std::string unfinished_;
  std::string network_, provider_;
  std::vector<std::string> net_devices_, interfaces_;
  std::string net_via_;  ///< name in "via NET/…"
  bool p2p_ = false, shm_ = false, mnnvl_ = false, pcie_ = false, gdr_ = false;
  std::vector<std::string> warnings_;
};

}  // namespace rollcall::child
