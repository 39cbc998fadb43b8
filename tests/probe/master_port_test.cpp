// What the probe's listener leaves for the trainer, and who is seen to hold a busy port.
#include "probe/steps/master_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "probe/net/address.h"
#include "probe/steps/port_holder.h"
#include "probe/steps/words.h"
#include "probe/support/process.h"

namespace rollcall::probe {
namespace {

using roll_call::EdgeOutcome;
using testing::eventually;
using ::testing::HasSubstr;

/// Binds as a trainer without SO_REUSEADDR would; errno, or 0.
int plain_bind(int port, bool reuse) {
  const Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = reuse ? 1 : 0;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_port = htons(static_cast<std::uint16_t>(port));
  return ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0 && ::listen(fd.get(), 1) == 0
             ? 0
             : errno;
}

Fd connect_to(int port) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto address = SocketAddress::of("127.0.0.1", port);
  EXPECT_EQ(::connect(fd.get(), address->raw(), address->length()), 0);
  return fd;
}

/// A free port outside the ephemeral range is not needed: nothing else runs between these lines.
int some_port() { return listen_everywhere(0, 1)->port; }

TEST(MasterPort, AfterPeersCameAndWentAnyoneCanBindAgain) {
  const int port = some_port();
  const Wake cancel;
  auto master = listen_master(port, "nonce");
  ASSERT_TRUE(master.state.listening) << master.state.error;
  for (int rank = 1; rank <= 3; ++rank) {
    const auto edge = reach_master("127.0.0.1", port, "nonce", rank, cancel);
    EXPECT_EQ(edge.outcome, EdgeOutcome::Ok) << edge.detail;
    EXPECT_EQ(edge.tried, 1);
  }
  EXPECT_TRUE(eventually([&] { return master.server->counts().served == 3; }));
  master.server.reset();
  EXPECT_EQ(plain_bind(port, true), 0) << "as torch does";
  EXPECT_EQ(plain_bind(port, false), 0) << "without SO_REUSEADDR";
}

TEST(MasterPort, IsReachedOverIpv6) {
  const int port = some_port();
  const Wake cancel;
  const auto closed = reach_master("::1", port, "nonce", 1, cancel);
  EXPECT_EQ(closed.outcome, EdgeOutcome::Refused) << closed.detail;
  const auto master = listen_master(port, "nonce");
  ASSERT_TRUE(master.state.listening) << master.state.error;
  const auto edge = reach_master("::1", port, "nonce", 1, cancel);
  EXPECT_EQ(edge.outcome, EdgeOutcome::Ok) << edge.detail;
}

TEST(MasterPort, StrangersAndOpenConnectionsLeaveNothingBehind) {
  const int port = some_port();
  auto master = listen_master(port, "nonce");
  ASSERT_TRUE(master.state.listening);
  const Fd silent = connect_to(port);
  const Fd stranger = connect_to(port);
  const std::string request(kGreetingBytes, 'G');
  ASSERT_EQ(::send(stranger.get(), request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
  EXPECT_TRUE(eventually([&] { return master.server->counts().strangers == 1; }));
  master.server.reset();
  EXPECT_EQ(plain_bind(port, false), 0);
}

TEST(MasterPort, ABusyPortIsEaddrinuseInEveryForm) {
  auto busy = listen_everywhere(0, 1);
  EXPECT_EQ(listen_master(busy->port, "n").state.error, "EADDRINUSE") << "dual-stack listener";
  const int port = some_port();
  const Fd loopback(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto address = SocketAddress::of("127.0.0.1", port);
  ASSERT_EQ(::bind(loopback.get(), address->raw(), address->length()), 0);
  ASSERT_EQ(::listen(loopback.get(), 1), 0);
  const auto held = listen_master(port, "n");
  EXPECT_FALSE(held.state.listening) << "listener on loopback only";
  EXPECT_THAT(held.state.holder, HasSubstr("a listener on 127.0.0.1:" + std::to_string(port)));
  EXPECT_THAT(words_for(held.state), HasSubstr("end that process, or give the job another spec.rendezvous.port"));

  // An outgoing connection that owns the port as its local one.
  const Fd outgoing = connect_to(busy->port);
  sockaddr_in local{};
  socklen_t length = sizeof local;
  ::getsockname(outgoing.get(), reinterpret_cast<sockaddr*>(&local), &length);
  const auto owned = listen_master(ntohs(local.sin_port), "n");
  EXPECT_EQ(owned.state.error, "EADDRINUSE");
  EXPECT_THAT(owned.state.holder, HasSubstr("a connection from 127.0.0.1"));
}

TEST(MasterPort, AnotherRoundsNonceIsTheWrongPeer) {
  const int port = some_port();
  const Wake cancel;
  auto master = listen_master(port, "round 1");
  EXPECT_EQ(reach_master("127.0.0.1", port, "round 2", 1, cancel).outcome, EdgeOutcome::WrongPeer);
}

TEST(MasterPort, NobodyListeningIsRefused) {
  const Wake cancel;
  const auto edge = reach_master("127.0.0.1", some_port(), "n", 1, cancel);
  EXPECT_EQ(edge.outcome, EdgeOutcome::Refused);
  EXPECT_THAT(words_for_reach(edge, "127.0.0.1"),
              HasSubstr("refuses our connections: Connection refused (ECONNREFUSED)"));
}

constexpr auto kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    "   0: 0100007F:733C 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100 0 0 10 0\n"
    "   1: 00000000000000000000000000000000:733D 00000000000000000000000000000000:0000 0A 0:0 00:0 0  0 0 12 1\n"
    "garbage\n"
    "   2: 0100007F:A000 0100007F:733C 01 00000000:00000000 00:00000000 00000000     7        0 99 1\n";

TEST(PortHolder, TheKernelsTableIsRead) {
  const auto lines = tcp_lines_from(kTable, 10);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].address, "127.0.0.1");
  EXPECT_EQ(lines[0].port, 29500);
  EXPECT_TRUE(lines[0].listening);
  EXPECT_EQ(lines[0].uid, 1000U);
  EXPECT_EQ(lines[0].inode, 4711U);
  EXPECT_EQ(lines[1].address, "::");
  EXPECT_FALSE(lines[2].listening);
  EXPECT_EQ(tcp_lines_from(kTable, 1).size(), 1U);
}

TEST(PortHolder, AProcessOfAnotherPodIsNamedByAddressAndUser) {
  const testing::TemporaryDirectory proc;
  proc.write("net/tcp", kTable);
  EXPECT_EQ(port_holder(29500, proc.path()), "a listener on 127.0.0.1:29500, uid 1000");
  EXPECT_EQ(port_holder(29501, proc.path()), "a listener on [::]:29501, uid 0");
  EXPECT_EQ(port_holder(1, proc.path()), "");
}

}  // namespace
}  // namespace rollcall::probe
