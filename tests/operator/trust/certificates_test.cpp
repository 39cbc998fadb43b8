#include "operator/trust/certificates.h"

#include <gmock/gmock.h>

#include "operator/trust/verify.h"
#include "operator/world.h"

namespace rollcall::operator_ {
namespace {

using namespace std::chrono_literals;
using testing_world::at;
using testing_world::why_not_accepted;

constexpr auto kDay = std::chrono::hours(24);
constexpr auto kYear = kDay * 365;
const WallTime kNow = at("2026-11-30T12:00:00Z");
const std::vector<std::string> kNames{"rollcall-desk.rollcall-system.svc", "rollcall-desk.rollcall-system",
                                      "rollcall-desk.rollcall-system.svc.cluster.local"};

TEST(Certificates, AuthorityIsBackdatedByADay) {
  const auto made = *make_authority(kNow, kYear);
  const auto validity = *validity_of(made.certificate);
  EXPECT_EQ(validity.from, kNow - kDay) << "a node whose clock is behind accepts it";
  EXPECT_EQ(validity.to, kNow + kYear);
}

TEST(Certificates, LeafIsForItsNamesAndSignedByTheAuthority) {
  const auto authority = *make_authority(kNow, kYear);
  const auto other = *make_authority(kNow, kYear);
  const auto leaf = *issue(authority, kNames, kNow, kDay * 90);
  for (const auto& name : kNames)
    EXPECT_EQ(why_not_accepted(leaf.certificate, authority.certificate, name, kNow), "") << name;
  EXPECT_EQ(why_not_accepted(leaf.certificate, authority.certificate, "rollcall-desk.other.svc", kNow),
            "hostname mismatch");
  EXPECT_TRUE(issued_by(leaf.certificate, authority.certificate, kNames));
  EXPECT_FALSE(issued_by(leaf.certificate, authority.certificate, {kNames[0], "rollcall-desk.other.svc"}));
  EXPECT_FALSE(issued_by(leaf.certificate, other.certificate, kNames));
  EXPECT_EQ(validity_of(leaf.certificate)->to, kNow + kDay * 90);
}

TEST(Certificates, LongServiceNameIsCutInTheCommonNameAlone) {
  const auto authority = *make_authority(kNow, kYear);
  const std::string name = std::string(63, 'd') + "." + std::string(63, 'n') + ".svc";
  const auto leaf = issue(authority, {name}, kNow, kDay * 90);
  ASSERT_TRUE(leaf.ok()) << leaf.error().message;
  EXPECT_EQ(why_not_accepted(leaf->certificate, authority.certificate, name, kNow), "");
}

TEST(Certificates, LeafNeverOutlivesItsAuthority) {
  const auto authority = *make_authority(kNow, kYear);
  const auto late = kNow + kDay * 300;
  EXPECT_EQ(validity_of(issue(authority, kNames, late, kDay * 90)->certificate)->to,
            validity_of(authority.certificate)->to);
}

TEST(Certificates, BridgeLeadsFromTheOlderAuthorityToTheNewerOne) {
  const auto older = *make_authority(kNow, kYear);
  const auto newer = *make_authority(kNow + kDay * 200, kYear);
  const auto bridge = *bridge_from(older, newer.certificate);
  const auto leaf = *issue(newer, kNames, kNow + kDay * 200, kDay * 90);
  const auto then = kNow + kDay * 250;
  EXPECT_NE(why_not_accepted(leaf.certificate, older.certificate, kNames[0], then), "");
  EXPECT_EQ(why_not_accepted(leaf.certificate + bridge, older.certificate, kNames[0], then), "");
  EXPECT_EQ(why_not_accepted(leaf.certificate + bridge, newer.certificate, kNames[0], then), "")
      << "and is in nobody's way";
  EXPECT_EQ(why_not_accepted(leaf.certificate + bridge, older.certificate, kNames[0], kNow + kDay * 366),
            "certificate has expired");
}

TEST(Certificates, BridgeIsNoAuthorityForFurtherAuthorities) {
  // Names tell the day: an authority above one of its own name would not count.
  const auto older = *make_authority(kNow - kDay * 2, kYear);
  const auto newer = *make_authority(kNow - kDay, kYear);
  const auto newest = *make_authority(kNow, kYear);
  const auto chain = issue(newest, kNames, kNow, kDay)->certificate + *bridge_from(newer, newest.certificate) +
                     *bridge_from(older, newer.certificate);
  EXPECT_EQ(why_not_accepted(chain, older.certificate, kNames[0], kNow), "path length constraint exceeded");
}

TEST(Certificates, TextThatIsNoCertificateIsAnError) {
  EXPECT_FALSE(validity_of("").ok());
  EXPECT_FALSE(issue(KeyPair{"x", "y"}, kNames, kNow, kDay).ok());
  EXPECT_FALSE(bridge_from(KeyPair{"x", "y"}, "z").ok());
  EXPECT_FALSE(fits(KeyPair{"x", "y"}));
}

}  // namespace
}  // namespace rollcall::operator_
