#include "probe/steps/mesh_times.h"

#include <gtest/gtest.h>

#include "probe/steps/mesh.h"

namespace rollcall::probe {
namespace {

using roll_call::EdgeOutcome;
using roll_call::MeshState;
using roll_call::Peer;

std::vector<Peer> peers(int count) {
  std::vector<Peer> all;
  for (int i = 1; i <= count; ++i) all.push_back({i, "10.0.0." + std::to_string(i), {40000 + i, 41000 + i}});
  return all;
}

ExchangeResult sound(double round_trip_ms, int retransmits = 0) {
  return {EdgeOutcome::Ok, 3, "", roll_call::kMeshPayloadBytes, retransmits, round_trip_ms};
}

std::vector<int> named(const std::vector<ExchangeTarget>& targets) {
  std::vector<int> ranks;
  for (const auto& target : targets) ranks.push_back(target.to);
  return ranks;
}

TEST(PeerTimes, SmallJobsMeasureEveryPairOnceAndTheLossyOnesAgain) {
  PeerTimes times(peers(3));
  for (int i = 1; i <= 3; ++i) times.add(i, sound(0.1));
  EXPECT_EQ(named(times.to_measure({}, 0)), (std::vector<int>{1, 2, 3}));
  times.add_large(2, {EdgeOutcome::Ok, 9, "", kMeshLargeBytes, 12, 0.1});
  EXPECT_EQ(named(times.to_measure({}, 1)), std::vector<int>{2});
}

TEST(PeerTimes, LargerJobsMeasureWhatLooksOdd) {
  PeerTimes times(peers(40));
  for (int i = 1; i <= 40; ++i) times.add(i, sound(i == 17 ? 1.6 : i == 18 ? 0.8 : 0.1, i == 5 ? 1 : 0));
  EXPECT_EQ(named(times.to_measure({}, 0)), (std::vector<int>{5, 17}));
}

TEST(PeerTimes, OneNodeMeasuresSoManyPairsAtMostTheLossyFirst) {
  PeerTimes times(peers(100));
  for (int i = 1; i <= 100; ++i) times.add(i, sound(i > 60 ? 9 : 0.1, i > 90 ? 2 : 0));
  const auto wanted = named(times.to_measure({}, 0));
  ASSERT_EQ(wanted.size(), kMeasuredPeers);
  EXPECT_EQ(wanted.front(), 91);
}

TEST(PeerTimes, ABrokenOrUnreachedPeerIsNotMeasured) {
  PeerTimes times(peers(3));
  times.add(1, sound(0.1));
  times.add(2, sound(0.1));
  times.add(3, {EdgeOutcome::Dropped, 3000, "no answer"});
  MeshState state;
  state.failed.push_back({2, EdgeOutcome::Stalled, 41002, 2, 1, 5000, ""});
  EXPECT_EQ(named(times.to_measure(state, 0)), std::vector<int>{1});
  EXPECT_EQ(times.told().size(), 2u);
}

TEST(PeerTimes, TellsTheLeastRoundTripAndTheBetterOfTheLargeExchanges) {
  PeerTimes times(peers(1));
  times.add(1, sound(0.4, 1));
  times.add(1, sound(0.2));
  times.add_large(1, {EdgeOutcome::Ok, 9, "", kMeshLargeBytes, 3, 0.3});
  EXPECT_EQ(times.told().at(0).milliseconds, 0.2);
  EXPECT_EQ(times.told().at(0).retransmits, 3);
  EXPECT_EQ(times.told().at(0).bytes, static_cast<std::int64_t>(kMeshLargeBytes)) << "only what retransmits are of";
  times.add_large(1, {EdgeOutcome::Ok, 9, "", kMeshLargeBytes, 0, 0.3});
  EXPECT_EQ(times.told().at(0).retransmits, 0) << "a queue overflowed once";
  times.add_large(1, {EdgeOutcome::Ok, 9, "", kMeshLargeBytes, 40, 0.3});
  EXPECT_EQ(times.told().at(0).retransmits, 0);
}

TEST(PeerTimes, AProbeOfAnotherVersionIsNotCalledSlow) {
  PeerTimes times(peers(1));
  times.add(1, sound(0.1));
  times.add_large(1, {EdgeOutcome::WrongPeer, 1, "closed the connection"});
  EXPECT_EQ(times.told().at(0).milliseconds, 0.1);
  times.add_large(1, {EdgeOutcome::Stalled, 5001, "only 9 bytes came back", 9});
  EXPECT_EQ(times.told().at(0).milliseconds, 5001);
}

TEST(PeerTimes, ALargeExchangeIsMeasuredOverRealSockets) {
  const auto server = listen_mesh("n", 1);
  ASSERT_TRUE(server);
  const Wake cancel;
  const auto state = connect_mesh({{1, "127.0.0.1", (*server)->ports()}}, "n", 0, cancel, [](const MeshState&) {});
  ASSERT_EQ(state.ok, 1);
  ASSERT_EQ(state.times.size(), 1u);
  EXPECT_EQ(state.times[0].to, 1);
  EXPECT_EQ(state.times[0].bytes, static_cast<std::int64_t>(kMeshLargeBytes));
  EXPECT_GT(state.times[0].milliseconds, 0);
  EXPECT_LT(state.times[0].milliseconds, 1000);
}

}  // namespace
}  // namespace rollcall::probe
