#include "probe/steps/port_holder.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>

#include "probe/files.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

/// A node with more connections than this is busy enough that the holder's name is not worth the wait.
constexpr std::size_t kMaxLines = 100'000;
constexpr std::size_t kMaxTable = 16U << 20;
constexpr int kMaxProcesses = 20'000;
constexpr int kMaxDescriptors = 20'000;  // of one process

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (at < line.size()) {
    const auto begin = line.find_first_not_of(" \t", at);
    if (begin == std::string_view::npos) break;
    const auto end = std::min(line.find_first_of(" \t", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    at = end;
  }
  return words;
}

template <typename Number>
std::optional<Number> number(std::string_view text, int base) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "0100007F" → "127.0.0.1"; each group of 8 digits is a word in the machine's byte order.
std::optional<std::string> address_of(std::string_view hex) {
  if (hex.size() != 8 && hex.size() != 32) return std::nullopt;
  unsigned char bytes[16] = {};
  for (std::size_t word = 0; word < hex.size() / 8; ++word) {
    const auto value = number<std::uint32_t>(hex.substr(word * 8, 8), 16);
    if (!value) return std::nullopt;
    std::memcpy(bytes + word * 4, &*value, 4);
  }
  char text[INET6_ADDRSTRLEN] = {};
  ::inet_ntop(hex.size() == 8 ? AF_INET : AF_INET6, bytes, text, sizeof text);
  return std::string(text);
}

std::optional<TcpLine> line_from(std::string_view line) {
  // sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …
  const auto words = words_of(line);
  if (words.size() < 10) return std::nullopt;
  const auto colon = words[1].find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto address = address_of(words[1].substr(0, colon));
  const auto port = number<int>(words[1].substr(colon + 1), 16);
  const auto state = number<int>(words[3], 16);
  const auto uid = number<unsigned>(words[7], 10);
  const auto inode = number<std::uint64_t>(words[9], 10);
  if (!address || !port || !state || !uid || !inode) return std::nullopt;
  constexpr int kListen = 0x0A;  // TCP_LISTEN of the kernel
  return TcpLine{*address, *port, *state == kListen, *uid, *inode};
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

bool has_socket(const std::string& fds, const std::string& wanted) {
  const Directory directory(::opendir(fds.c_str()));
  if (!directory) return false;  // another user's: its holder is named by uid only
  for (int seen = 0; seen < kMaxDescriptors; ++seen) {
    const dirent* entry = ::readdir(directory.get());
    if (entry == nullptr) return false;
    char target[64] = {};
    const auto size = ::readlink((fds + "/" + entry->d_name).c_str(), target, sizeof target - 1);
    if (size > 0 && wanted == std::string_view(target, static_cast<std::size_t>(size))) return true;
  }
  return false;
}

/// "pid 4711 (python)", or empty.
std::string process_of(std::uint64_t inode, const std::string& proc) {
  const auto wanted = text("socket:[", inode, "]");
  const Directory directory(::opendir(proc.c_str()));
  if (!directory) return "";
  for (int seen = 0; seen < kMaxProcesses; ++seen) {
    const dirent* entry = ::readdir(directory.get());
    if (entry == nullptr) return "";
    const std::string_view name(entry->d_name);
    if (!number<int>(name, 10)) continue;
    if (!has_socket(text(proc, "/", name, "/fd"), wanted)) continue;
    auto comm = read_file(text(proc, "/", name, "/comm"), 64);
    std::string called = comm ? *comm : "?";
    if (!called.empty() && called.back() == '\n') called.pop_back();
    return text("pid ", name, " (", called, ")");
  }
  return "";
}

}  // namespace

std::vector<TcpLine> tcp_lines_from(std::string_view table, std::size_t limit) {
  std::vector<TcpLine> lines;
  while (!table.empty() && lines.size() < limit) {
    const auto end = std::min(table.find('\n'), table.size());
    if (auto line = line_from(table.substr(0, end))) lines.push_back(std::move(*line));
    table.remove_prefix(std::min(end + 1, table.size()));
  }
  return lines;
}

std::string port_holder(int port, const std::string& proc) {
  std::optional<TcpLine> holder;
  for (const char* table : {"/net/tcp", "/net/tcp6"}) {
    const auto content = read_file(proc + table, kMaxTable);
    if (!content) continue;  // IPv6 may be off
    for (auto& line : tcp_lines_from(*content, kMaxLines)) {
      // A listener says more than a connection; among connections one still owned by a process (inode) does.
      if (line.port != port || (holder && holder->listening)) continue;
      if (!holder || line.listening || (holder->inode == 0 && line.inode != 0)) holder = std::move(line);
    }
  }
  if (!holder) return "";
  const bool v6 = holder->address.find(':') != std::string::npos;
  const auto where = text(v6 ? "[" : "", holder->address, v6 ? "]:" : ":", holder->port);
  const auto what = text(holder->listening ? "a listener on " : "a connection from ", where, ", uid ", holder->uid);
  const auto process = holder->inode != 0 ? process_of(holder->inode, proc) : "";
  return process.empty() ? what : process + ", " + what;
}

}  // namespace rollcall::probe
