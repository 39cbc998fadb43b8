#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cstring>
#include <string>

#include "child/nccl/nccl.h"

namespace rollcall::child {
namespace {

std::string id_with(const void* address, std::size_t size) {
  std::string id(128, '\0');
  std::memcpy(id.data() + 8, address, size);
  return id;
}

sockaddr_in v4(const char* text, in_port_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  inet_pton(AF_INET, text, &address.sin_addr);
  return address;
}

TEST(UniqueId, AnIpv4ListenerIsRead) {
  const auto address = v4("10.244.1.7", 40123);
  EXPECT_EQ(address_in(id_with(&address, sizeof address)), "10.244.1.7");
}

TEST(UniqueId, AnIpv6ListenerIsRead) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(40123);
  inet_pton(AF_INET6, "fd00::17", &address.sin6_addr);
  EXPECT_EQ(address_in(id_with(&address, sizeof address)), "fd00::17");
}

TEST(UniqueId, AnyOtherLayoutIsUnknown) {
  EXPECT_EQ(address_in(std::string(128, '\0')), std::nullopt);
  EXPECT_EQ(address_in(std::string(128, '\xff')), std::nullopt);
  EXPECT_EQ(address_in("short"), std::nullopt);
  const auto without_port = v4("10.244.1.7", 0);
  EXPECT_EQ(address_in(id_with(&without_port, sizeof without_port)), std::nullopt);
}

TEST(Interface, IsThatWithTheAddress) {
  auto one = v4("127.0.0.1", 0);
  auto two = v4("10.0.0.7", 0);
  std::string lo = "lo";
  std::string eth = "eth0";
  std::string none = "tun0";
  ifaddrs third{};
  third.ifa_name = none.data();  // an interface without an address
  ifaddrs second{};
  second.ifa_next = &third;
  second.ifa_name = eth.data();
  second.ifa_addr = reinterpret_cast<sockaddr*>(&two);
  ifaddrs first{};
  first.ifa_next = &second;
  first.ifa_name = lo.data();
  first.ifa_addr = reinterpret_cast<sockaddr*>(&one);
  EXPECT_EQ(interface_of("10.0.0.7", &first), "eth0");
  EXPECT_EQ(interface_of("127.0.0.1", &first), "lo");
  EXPECT_EQ(interface_of("10.0.0.8", &first), "");
  EXPECT_EQ(interface_of("", &first), "");
}

}  // namespace
}  // namespace rollcall::child
