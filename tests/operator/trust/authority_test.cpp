// The rotation of the authority over years, by a clock of the test.
#include "operator/trust/authority.h"

#include <gmock/gmock.h>

#include "operator/trust/verify.h"
#include "operator/world.h"

namespace rollcall::operator_ {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing_world::at;
using testing_world::why_not_accepted;

constexpr auto kDay = std::chrono::hours(24);
const WallTime kNow = at("2026-11-30T12:00:00Z");
const std::string kName = "rollcall-desk.rollcall-system.svc";
const std::vector<std::string> kNames{kName};
const Lifetimes kLife;

Authority authority(const std::optional<Authority>& stored, WallTime now) { return *authority_at(stored, kLife, now); }
KeyPair leaf(const std::optional<KeyPair>& stored, const Authority& by, WallTime now) {
  return *leaf_at(stored, by, kNames, kLife, now);
}

TEST(Rotation, NextAuthorityIsToldBeforeItSignsAndTheFormerAfter) {
  const auto first = authority(std::nullopt, kNow);
  EXPECT_EQ(authority(first, kNow + kDay * 240), first);

  const auto told = authority(first, kNow + kDay * 245);
  EXPECT_EQ(told.current, first.current);
  ASSERT_TRUE(told.next);
  EXPECT_THAT(bundle_of(told), HasSubstr(told.next->certificate));

  const auto promoted = authority(told, kNow + kDay * 310);
  EXPECT_EQ(promoted.current, *told.next);
  EXPECT_EQ(promoted.previous, first.current.certificate);
  EXPECT_THAT(bundle_of(promoted), HasSubstr(first.current.certificate));

  const auto forgotten = authority(promoted, kNow + kDay * 366);
  EXPECT_EQ(forgotten.previous, "");
  EXPECT_EQ(forgotten.bridge, "");
  EXPECT_EQ(forgotten.current, promoted.current);
}

TEST(Rotation, EveryBundleAProbeWasGivenHoldsUntilItsOldestAuthorityExpires) {
  // Looked at every other day for three years; every ten days a pod is made, and each keeps its bundle.
  std::optional<Authority> stored;
  std::optional<KeyPair> pair;
  struct Pod {
    WallTime made;
    std::string bundle;
  };
  std::vector<Pod> pods;
  auto shortest = std::chrono::hours::max();
  for (auto now = kNow; now < kNow + kDay * 3 * 365; now += kDay * 2) {
    stored = authority(stored, now);
    pair = leaf(pair, *stored, now);
    if (pods.empty() || pods.back().made + kDay * 10 <= now) pods.push_back({now, bundle_of(*stored)});
    if ((now - kNow) % (kDay * 10) != 0h) continue;
    std::erase_if(pods, [&](const Pod& pod) {
      const auto why = why_not_accepted(pair->certificate, pod.bundle, kName, now);
      if (why.empty()) return false;
      shortest = std::min(shortest, std::chrono::duration_cast<std::chrono::hours>(now - pod.made));
      return true;
    });
  }
  EXPECT_GT(shortest, kDay * 120) << "a pod waits 14 days at most once it has a node";
  EXPECT_LT(shortest, kDay * 366 * 2) << "bundles do expire, or this test looks at nothing";
}

TEST(Rotation, AuthorityThatWasNotLookedAtForLongIsToldBeforeItIsPromoted) {
  const auto told = authority(authority(std::nullopt, kNow), kNow + kDay * 320);
  EXPECT_TRUE(told.next) << "a sixth of its life is left, but nobody knows the next one yet";
  EXPECT_TRUE(authority(told, kNow + kDay * 320 + 59min).next.has_value());
  EXPECT_FALSE(authority(told, kNow + kDay * 320 + 61min).next.has_value());
}

TEST(Rotation, ExpiredAuthorityIsFollowedByTheOneThatWasTold) {
  const auto told = authority(authority(std::nullopt, kNow), kNow + kDay * 250);
  const auto late = authority(told, kNow + kDay * 400);
  EXPECT_EQ(late.current, *told.next) << "pods know it";
  EXPECT_EQ(late.bridge, "") << "what is expired leads nowhere";
}

TEST(Rotation, AuthorityWhoseKeyIsLostIsFollowedByTheOneThatWasTold) {
  auto told = authority(authority(std::nullopt, kNow), kNow + kDay * 250);
  told.current.key = "no key";
  const auto healed = authority(told, kNow + kDay * 251);
  EXPECT_EQ(healed.current, *told.next);
  EXPECT_EQ(healed.previous, told.current.certificate);
  EXPECT_EQ(healed.bridge, "") << "nobody can sign it";
}

TEST(Rotation, ExpiredOrUnreadableAuthorityIsMadeAnew) {
  const auto first = authority(std::nullopt, kNow);
  EXPECT_NE(authority(first, kNow + kDay * 400).current, first.current);
  auto broken = first;
  broken.current.key = "no key";
  EXPECT_NE(authority(broken, kNow).current, first.current);
}

TEST(Rotation, ClockThatWasAheadForAWhileLeavesNothingThatIsNotValidYet) {
  const auto first = authority(std::nullopt, kNow);
  const auto pair = leaf(std::nullopt, first, kNow);
  const auto ahead = authority(first, kNow + kDay * 800);
  const auto ahead_pair = leaf(pair, ahead, kNow + kDay * 800);
  const auto back = authority(ahead, kNow + 1h);
  const auto back_pair = leaf(ahead_pair, back, kNow + 1h);
  EXPECT_EQ(why_not_accepted(back_pair.certificate, bundle_of(back), kName, kNow + 1h), "");
}

TEST(Rotation, JumpForwardWithinTheAuthoritysLifeRenewsTheLeafAtOnce) {
  const auto first = authority(std::nullopt, kNow);
  const auto pair = leaf(std::nullopt, first, kNow);
  const auto later = kNow + kDay * 100;
  const auto renewed = leaf(pair, authority(first, later), later);
  EXPECT_NE(renewed, pair);
  EXPECT_EQ(why_not_accepted(renewed.certificate, bundle_of(first), kName, later), "");
}

TEST(Leaf, StaysUntilAThirdOfItsLifeIsLeft) {
  const auto by = authority(std::nullopt, kNow);
  const auto pair = leaf(std::nullopt, by, kNow);
  EXPECT_EQ(leaf(pair, by, kNow + kDay * 59), pair);
  EXPECT_NE(leaf(pair, by, kNow + kDay * 60), pair);
}

TEST(Leaf, CutShortByItsAuthorityIsNotIssuedAgainAtEachLook) {
  const auto by = authority(std::nullopt, kNow);
  const auto pair = leaf(std::nullopt, by, kNow + kDay * 350);
  EXPECT_EQ(leaf(pair, by, kNow + kDay * 351), pair);
}

TEST(Leaf, OfAnotherNameOrAuthorityOrKeyIsIssuedAnew) {
  const auto by = authority(std::nullopt, kNow);
  const auto pair = leaf(std::nullopt, by, kNow);
  EXPECT_NE(*leaf_at(pair, by, {"elsewhere.svc"}, kLife, kNow), pair);
  EXPECT_NE(*leaf_at(pair, by, {kName, "rollcall-desk.rollcall-system"}, kLife, kNow), pair) << "a name more";
  EXPECT_NE(leaf(pair, authority(std::nullopt, kNow), kNow), pair);
  EXPECT_NE(leaf(KeyPair{pair.certificate, "no key"}, by, kNow), pair);
}

TEST(Leaf, TakesTheBridgeAlongAsSoonAsThereIsOne) {
  auto stored = authority(std::nullopt, kNow);
  stored = authority(stored, kNow + kDay * 250);
  stored = authority(stored, kNow + kDay * 310);
  ASSERT_NE(stored.bridge, "");
  const auto pair = leaf(std::nullopt, stored, kNow + kDay * 310);
  EXPECT_THAT(pair.certificate, HasSubstr(stored.bridge));
  EXPECT_EQ(leaf(pair, stored, kNow + kDay * 311), pair) << "and is not issued again for it";
}

}  // namespace
}  // namespace rollcall::operator_
