#include "child/nccl_log/nccl_log.h"

#include <algorithm>
#include <array>
#include <optional>

#include "child/nccl_log/networks.h"

namespace rollcall::child {
namespace {

constexpr std::size_t kLongestLine = 4096;  // NCCL's own buffer holds 1024, plugins' lines are a little longer
constexpr std::size_t kMostWarnings = 64;   // a rank that retries warns again and again; the first ones matter
constexpr std::size_t kMostDevices = 64;    // as kMaxRdmaDevices

/// Names a cause (NCCL's sources): what a person needs first.
constexpr std::array<std::string_view, 21> kTelling = {
    "no socket interface found",
    "No usable listening interface",
    "Call to bind failed",
    "connect to ",  // "… returned Connection refused, exceeded error retry count"
    "exceeded retries",
    "exceeded timeouts",
    "Failed to initialize any NET plugin",
    "not found",  // "Error: network IB not found."
    "Message truncated",
    "message truncated",
    "mismatch in info from procs",
    "has already checked in",
    "Duplicate GPU detected",
    "Multiple Ranks are using the same GPU",
    "Mismatched NCCL version",
    "Got completion",
    "fi_getinfo",
    "driver version is insufficient",
    "Failed to CUDA host alloc",
    "shared memory",
    "NVLS",
};

/// Says that something else failed before, or somewhere else.
constexpr std::array<std::string_view, 5> kConsequence = {
    "Connection closed by remote peer", "[Proxy", "[Service thread]", "Connection reset by peer", "Broken pipe",
};

template <typename Words>
bool has_any(const std::string& text, const Words& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

/// What follows `phrase`; nullopt when it does not occur.
std::optional<std::string_view> after(std::string_view text, std::string_view phrase) {
  const auto at = text.find(phrase);
  if (at == std::string_view::npos) return std::nullopt;
  return text.substr(at + phrase.size());
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r' || text.back() == '.')) text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

/// "[0]mlx5_0:1/IB/SHARP [1]mlx5_1:1/RoCE [RO]; OOB eth0:…" → "mlx5_0:1", "mlx5_1:1"; "[0]eth0:10.0.0.1<0>" → "eth0".
std::vector<std::string> devices_of(std::string_view list, bool interfaces) {
  std::vector<std::string> devices;
  list = list.substr(0, list.find(';'));
  while (devices.size() < kMostDevices) {
    const auto open = list.find('[');
    if (open == std::string_view::npos) break;
    const auto close = list.find(']', open);
    if (close == std::string_view::npos) break;
    const auto index = list.substr(open + 1, close - open - 1);
    list.remove_prefix(close + 1);
    const bool number =
        !index.empty() && std::all_of(index.begin(), index.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!number) continue;
    const auto end = list.find_first_of(interfaces ? ": " : "/ ");
    const auto name = trimmed(list.substr(0, end));
    if (!name.empty()) devices.emplace_back(name);
  }
  return devices;
}

}  // namespace

void NcclLog::read(std::string_view text) {
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    unfinished_ += text.substr(0, end);
    text.remove_prefix(end + 1);
    if (unfinished_.size() <= kLongestLine) line(unfinished_);
    unfinished_.clear();
  }
  if (unfinished_.size() <= kLongestLine) unfinished_ += text.substr(0, kLongestLine + 1);
}

void NcclLog::line(std::string_view text) {
  if (const auto warned = after(text, "NCCL WARN ")) return warning(trimmed(*warned));
  if (const auto said = after(text, "NCCL INFO ")) return message(*said);
}

void NcclLog::warning(std::string_view text) {
  if (warnings_.size() < kMostWarnings) warnings_.emplace_back(text);
  // Plugins tell their provider in warnings too.
  message(text);
}

void NcclLog::message(std::string_view text) {
  if (const auto name = after(text, "Using network ")) network_ = trimmed(*name);
  if (auto provider = after(text, "NET/OFI Selected "); provider && provider->size() > 12) {
    // "Provider is efa (found 16 nics)", since 1.14 "provider is efa, fabric is efa-direct (found 16 nics)"
    if (const auto name = after(*provider, "rovider is "))
      provider_ = trimmed(name->substr(0, name->find_first_of(" ,(;")));
  }
  if (const auto list = after(text, "NET/Socket : Using ")) {
    interfaces_ = devices_of(*list, true);
  } else if (text.starts_with("NET/")) {
    const auto using_at = after(text, " : Using ");
    if (using_at && using_at->starts_with('[')) net_devices_ = devices_of(*using_at, false);
  }
  if (const auto via = after(text, " via ")) channel(*via);
  // "Pattern 4, crossNic 0, nChannels 12, bw 20.000000/20.000000, type PIX/PIX, sameChannels 1": the first is between
  // GPUs.
  // One without channels was not chosen.
  if (text.starts_with("Pattern ") && text.find("nChannels 0,") == std::string_view::npos)
    if (const auto type = after(text, " type "))
      for (const std::string_view pcie : {"PIX", "PXB", "PHB", "SYS"}) pcie_ = pcie_ || type->starts_with(pcie);
}

void NcclLog::channel(std::string_view via) {
  if (via.starts_with("NET/")) {
    via.remove_prefix(4);
    net_via_ = via.substr(0, via.find('/'));
    gdr_ = gdr_ || via.find("/GDRDMA") != std::string_view::npos;
  } else if (via.starts_with("COLLNET/")) {
    if (net_via_.empty()) net_via_ = network_;
    gdr_ = gdr_ || via.find("/GDRDMA") != std::string_view::npos;
  } else if (via.starts_with("P2P/")) {
    p2p_ = true;
    mnnvl_ = mnnvl_ || via.starts_with("P2P/MNNVL");
  } else if (via.starts_with("SHM")) {
    shm_ = true;
  }
}

const std::vector<std::string>& NcclLog::devices() const { return network_ == "Socket" ? interfaces_ : net_devices_; }

std::string NcclLog::transport() const {
  if (!net_via_.empty()) return network_class(net_via_, provider_);
  if (mnnvl_) return "nvlink";
  if (p2p_) return pcie_ ? "other" : "nvlink";
  return shm_ ? "shm" : "";
}

std::string NcclLog::error() const {
  if (warnings_.empty()) return {};
  for (const auto& text : warnings_)
    if (has_any(text, kTelling) && !has_any(text, kConsequence)) return text;
  for (auto text = warnings_.rbegin(); text != warnings_.rend(); ++text)
    if (!has_any(*text, kConsequence)) return *text;
  return warnings_.back();
}

}  // namespace rollcall::child
