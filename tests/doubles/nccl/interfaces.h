#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <string>
#include <vector>

/// Which interface the double publishes: NCCL's own rules (src/misc/socket.cc): NCCL_SOCKET_IFNAME; else names that
/// begin with "ib"; else the subnet of NCCL_COMM_ID; else all but docker and lo (and virbr from 2.28.3 on); else
/// docker; else lo.
namespace rollcall::doubles {

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;

  std::string text() const;  ///< "10.0.0.1<4242>"
  bool operator==(const Address& other) const;
};

struct Interface {
  std::string name;
  Address address;  ///< port 0
};

/// In NCCL's order; the first one is used. Empty: none found.
std::vector<Interface> find_interfaces();
/// "10.0.0.1:4242" or "[fd00::1]:4242"; length 0 when it is neither.
Address address_from(const std::string& text);

}  // namespace rollcall::doubles
