#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rollcall::probe {

/// A line of /proc/net/tcp or tcp6.
struct TcpLine {
  std::string address;  ///< local, as text
  int port = 0;
  bool listening = false;
  unsigned uid = 0;
  std::uint64_t inode = 0;
};

/// Reads the table as the kernel prints it; lines it cannot read are passed over. At most `limit` lines.
std::vector<TcpLine> tcp_lines_from(std::string_view table, std::size_t limit);

/// Who holds `port` in this network namespace, as far as it can be seen from here: "pid 4711 (python), listening on
/// 0.0.0.0:29500, uid 0", or without the process (of another pod or user), or empty.
std::string port_holder(int port, const std::string& proc = "/proc");

}  // namespace rollcall::probe
