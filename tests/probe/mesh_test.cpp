#include "probe/steps/mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "probe/net/address.h"
#include "probe/steps/master_port.h"
#include "probe/steps/words.h"
#include "probe/support/network.h"
#include "probe/support/process.h"

namespace rollcall::probe {
namespace {

using roll_call::Edge;
using roll_call::EdgeOutcome;
using roll_call::MeshState;
using roll_call::Peer;
using testing::eventually;
using ::testing::HasSubstr;
using testing::TwoNodes;

const auto kIgnoreProgress = [](const MeshState&) {};

Peer peer_of(const ExchangeServer& server, int node_rank, const std::string& address = "127.0.0.1") {
  return {node_rank, address, server.ports()};
}

TEST(Greeting, ProvesNonceSideAndNodeRanks) {
  const auto bytes = encode({ExchangeKind::Mesh, ExchangeSide::Client, 2, 5}, "secret");
  const auto read = decode(bytes, "secret");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->from, 2);
  EXPECT_EQ(read->to, 5);
  EXPECT_EQ(read->side, ExchangeSide::Client);
  EXPECT_FALSE(decode(bytes, "another"));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto changed = bytes;
    changed[i] ^= 1;
    EXPECT_FALSE(decode(changed, "secret")) << i;
  }
}

TEST(Mesh, TwoNodesExchangeOverEveryPort) {
  const auto first = listen_mesh("n", 0);
  const auto second = listen_mesh("n", 1);
  ASSERT_TRUE(first && second);
  EXPECT_EQ((*first)->ports().size(), static_cast<std::size_t>(roll_call::kMeshPorts));
  const Wake cancel;
  const auto state = connect_mesh({peer_of(**second, 1)}, "n", 0, cancel, kIgnoreProgress);
  EXPECT_TRUE(state.done);
  EXPECT_EQ(state.attempted, 1);
  EXPECT_EQ(state.ok, 1);
  EXPECT_GT(state.slowest_ms, 0);
  EXPECT_TRUE(eventually([&] { return (*second)->counts().served > roll_call::kMeshPorts; }))
      << "each port once, and one of them for the large exchange, or two when the first lost a segment";
}

TEST(Mesh, TwoNodesExchangeOverIpv6) {
  const auto second = listen_mesh("n", 1);
  ASSERT_TRUE(second);
  const Wake cancel;
  const auto state = connect_mesh({peer_of(**second, 1, "::1")}, "n", 0, cancel, kIgnoreProgress);
  EXPECT_EQ(state.ok, 1) << (state.failed.empty() ? "" : state.failed[0].detail);
}

TEST(Mesh, AWrongPeerIsNotTakenForTheRightOne) {
  const auto stale = listen_mesh("a former round", 1);
  const auto other = listen_mesh("n", 7);
  auto busy = listen_everywhere(0, 8);  // takes connections into its backlog, never answers
  const Wake cancel;
  EXPECT_EQ(connect_mesh({peer_of(**stale, 1)}, "n", 0, cancel, kIgnoreProgress).failed.at(0).outcome,
            EdgeOutcome::WrongPeer);
  EXPECT_EQ(connect_mesh({peer_of(**other, 1)}, "n", 0, cancel, kIgnoreProgress).failed.at(0).outcome,
            EdgeOutcome::WrongPeer)
      << "node rank 7 is not node rank 1";
}

TEST(Mesh, RefusedUnreachableAndNamelessAreToldApart) {
  const int closed = listen_everywhere(0, 1)->port;
  const Wake cancel;
  const auto state = connect_mesh({{1, "127.0.0.1", {closed}}, {2, "no-address", {closed}}, {3, "127.0.0.1", {}}}, "n",
                                  0, cancel, kIgnoreProgress);
  EXPECT_EQ(state.attempted, 3);
  EXPECT_EQ(state.ok, 0);
  std::map<int, Edge> edges;
  for (const auto& edge : state.failed) edges[edge.to] = edge;
  EXPECT_EQ(edges[1].outcome, EdgeOutcome::Refused);
  EXPECT_EQ(edges[1].port, closed);
  EXPECT_EQ(edges[2].outcome, EdgeOutcome::LocalError);
  EXPECT_THAT(edges[2].detail, HasSubstr("names are not looked up"));
  EXPECT_THAT(edges[3].detail, HasSubstr("no ports"));
}

TEST(Mesh, ACancelledMeshIsNotDone) {
  auto silent = listen_everywhere(0, 64);
  Wake cancel;
  cancel.notify();
  const auto state = connect_mesh({{1, "127.0.0.1", {silent->port}}}, "n", 0, cancel, kIgnoreProgress);
  EXPECT_FALSE(state.done);
  EXPECT_EQ(state.attempted, 0);
}

TEST(Mesh, FiftyNodesEachReachAllOthers) {
  std::vector<std::unique_ptr<ExchangeServer>> servers;
  std::vector<Peer> peers;
  for (int rank = 0; rank < 50; ++rank) {
    auto server = listen_mesh("n", rank);
    ASSERT_TRUE(server) << server.error().message;
    peers.push_back(peer_of(**server, rank));
    servers.push_back(std::move(server).value());
  }
  const Wake cancel;
  const auto state = connect_mesh({peers.begin() + 1, peers.end()}, "n", 0, cancel, kIgnoreProgress);
  EXPECT_EQ(state.ok, 49) << words_for(state, peers);
}

TEST(Mesh, StrangersCannotKeepAPeerOut) {
  std::vector<Listener> listeners;
  listeners.push_back(std::move(listen_everywhere(0, 64)).value());
  const int port = listeners[0].port;
  ExchangeServerOptions options;
  options.nonce = "n";
  options.node_rank = 1;
  options.payload_bytes = roll_call::kMeshPayloadBytes;
  options.limits.connections = 4;
  auto server = ExchangeServer::start(std::move(listeners), options);
  ASSERT_TRUE(server);
  std::vector<Fd> strangers;
  const auto address = SocketAddress::of("127.0.0.1", port);
  for (int i = 0; i < 12; ++i) {
    strangers.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(strangers.back().get(), address->raw(), address->length()), 0);
  }
  const Wake cancel;
  const auto state = connect_mesh({{1, "127.0.0.1", {port}}}, "n", 0, cancel, kIgnoreProgress);
  EXPECT_EQ(state.ok, 1) << words_for(state, {});
  EXPECT_GE((*server)->counts().strangers, 8) << "the oldest of them went";
}

TEST(EdgeTally, TriesEveryPeerOnceBeforeAnyTwice) {
  const EdgeTally tally({{1, "a", {10, 11}}, {2, "b", {20, 21}}});
  std::vector<int> ports;
  for (const auto& target : tally.targets()) ports.push_back(target.port);
  EXPECT_EQ(ports, (std::vector<int>{10, 20, 11, 21}));
}

TEST(EdgeTally, TheTellingOutcomeWins) {
  EdgeTally tally({{1, "a", {10, 11, 12}}});
  tally.add(0, {EdgeOutcome::Refused, 1, "refused"});
  tally.add(1, {EdgeOutcome::Ok, 9, ""});
  EXPECT_EQ(tally.state().attempted, 0) << "not ended before its last port";
  tally.add(2, {EdgeOutcome::Dropped, 3000, "no answer"});
  const auto edge = tally.state().failed.at(0);
  EXPECT_EQ(edge.outcome, EdgeOutcome::Dropped);
  EXPECT_EQ(edge.port, 12);
  EXPECT_EQ(edge.tried, 3);
  EXPECT_EQ(edge.failed, 2);
  EXPECT_EQ(edge.detail, "no answer");
}

TEST(EdgeTally, KeepsAtMostTheEdgesAnAnswerCarries) {
  std::vector<Peer> peers;
  for (int i = 0; i < 300; ++i) peers.push_back({i, "a", {1}});
  EdgeTally tally(peers);
  for (std::size_t i = 0; i < 300; ++i) tally.add(i, {EdgeOutcome::Dropped, 1, ""});
  EXPECT_EQ(tally.state().failed.size(), roll_call::kMaxEdges);
  EXPECT_EQ(tally.state().attempted, 300);
}

class BetweenNamespaces : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = TwoNodes::unavailable(); !why.empty()) GTEST_SKIP() << why;
    nodes_ = std::make_unique<TwoNodes>();
    for (int node = 0; node < 2; ++node) {
      nodes_->inside(node, [&] {
        auto server = listen_mesh("n", node);
        if (server) servers_[node] = std::move(server).value();
      });
      ASSERT_TRUE(servers_[node]);
    }
  }

  MeshState from(int node) {
    MeshState state;
    const int to = 1 - node;
    nodes_->inside(node, [&] {
      const Wake cancel;
      state = connect_mesh({peer_of(*servers_[to], to, to == 0 ? TwoNodes::kFirst : TwoNodes::kSecond)}, "n", node,
                           cancel, kIgnoreProgress);
    });
    return state;
  }

  std::unique_ptr<TwoNodes> nodes_;
  std::unique_ptr<ExchangeServer> servers_[2];
};

TEST_F(BetweenNamespaces, ASoundPathPassesBothWays) {
  EXPECT_EQ(from(0).ok, 1);
  EXPECT_EQ(from(1).ok, 1);
}

TEST_F(BetweenNamespaces, DroppedNewConnectionsShowInOneDirectionOnly) {
  ASSERT_TRUE(nodes_->iptables(1, "-A INPUT -p tcp --syn --dport 32768:60999 -j DROP"));
  const auto blocked = from(0);
  ASSERT_EQ(blocked.failed.size(), 1U);
  EXPECT_EQ(blocked.failed[0].outcome, EdgeOutcome::Dropped);
  EXPECT_EQ(blocked.failed[0].failed, roll_call::kMeshPorts);
  EXPECT_THAT(blocked.failed[0].detail, HasSubstr("no answer to the connection request within 3 s"));
  EXPECT_EQ(from(1).ok, 1) << "the other direction is free";

  // The rendezvous port is outside that range and stays open: reaching it proves nothing about the mesh.
  MasterPort master;
  nodes_->inside(1, [&] { master = listen_master(29500, "n"); });
  ASSERT_TRUE(master.state.listening) << master.state.error;
  Edge reached;
  nodes_->inside(0, [&] {
    const Wake cancel;
    reached = reach_master(TwoNodes::kSecond, 29500, "n", 1, cancel);
  });
  EXPECT_EQ(reached.outcome, EdgeOutcome::Ok) << reached.detail;
}

TEST_F(BetweenNamespaces, LostBigPacketsAreAStall) {
  ASSERT_TRUE(nodes_->iptables(1, "-A INPUT -p tcp -m length --length 600:65535 -j DROP"));
  ExchangeClientOptions options;
  options.nonce = "n";
  options.node_rank = 0;
  options.payload_bytes = roll_call::kMeshPayloadBytes;
  options.exchange = std::chrono::milliseconds(400);
  ExchangeResult result;
  nodes_->inside(0, [&] {
    const Wake cancel;
    exchange_all({{1, TwoNodes::kSecond, servers_[1]->ports()[0]}}, options, cancel,
                 [&](std::size_t, const ExchangeResult& r) { result = r; });
  });
  EXPECT_EQ(result.outcome, EdgeOutcome::Stalled) << result.detail;
}

TEST_F(BetweenNamespaces, ARejectedPortIsRefusedAndNoRouteIsNoRoute) {
  ASSERT_TRUE(nodes_->iptables(1, "-A INPUT -p tcp --syn --dport 32768:60999 -j REJECT --reject-with tcp-reset"));
  EXPECT_EQ(from(0).failed.at(0).outcome, EdgeOutcome::Refused);
  ASSERT_TRUE(nodes_->iptables(1, "-F INPUT"));
  ASSERT_TRUE(nodes_->iptables(1, "-A INPUT -p tcp --syn -j REJECT --reject-with icmp-host-unreachable"));
  EXPECT_EQ(from(0).failed.at(0).outcome, EdgeOutcome::NoRoute);
}

}  // namespace
}  // namespace rollcall::probe
