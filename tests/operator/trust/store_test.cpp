#include "operator/trust/store.h"

#include <gmock/gmock.h>

#include "kube/base64.h"
#include "operator/trust/verify.h"
#include "operator/world.h"

namespace rollcall::operator_ {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_world::at;
using testing_world::FakeClient;
using testing_world::why_not_accepted;

constexpr auto kDay = std::chrono::hours(24);
constexpr auto kNs = "rollcall-system";
const WallTime kNow = at("2026-11-30T12:00:00Z");
const std::vector<TlsServer> kServers{{"desk", "rollcall-desk-tls", "rollcall-desk"},
                                      {"webhook", "rollcall-webhook-tls", "rollcall-webhook"}};

class CertificateStore : public testing::Test {
 protected:
  Result<Trust> keep(WallTime now) { return keep_secrets(client_, kNs, kServers, {}, now); }
  std::string held(const std::string& secret, const char* field) {
    return *kube::base64_decode(
        client_.objects.at("secrets/rollcall-system/" + secret)["data"][field].get<std::string>());
  }
  FakeClient client_;
};

TEST_F(CertificateStore, SecretsAreMadeOnceAndStay) {
  const auto trust = keep(kNow);
  ASSERT_TRUE(trust.ok()) << trust.error().message;
  EXPECT_THAT(client_.writes, ElementsAre("create secrets/rollcall-system/rollcall-ca",
                                          "create secrets/rollcall-system/rollcall-desk-tls",
                                          "create secrets/rollcall-system/rollcall-webhook-tls"));
  const auto& tls = client_.objects.at("secrets/rollcall-system/rollcall-desk-tls");
  EXPECT_EQ(tls["type"], "kubernetes.io/tls");
  EXPECT_FALSE(tls["data"].contains("ca.key")) << "the authority's key is the operator's alone";
  EXPECT_EQ(keep(kNow + 1h)->bundle, trust->bundle);
  EXPECT_EQ(client_.writes.size(), 3U);
}

TEST_F(CertificateStore, EachServerHasACertificateForTheNamesOfItsService) {
  ASSERT_TRUE(keep(kNow).ok());
  for (const auto& server : kServers) {
    for (const auto& name : server.names(kNs)) {
      EXPECT_EQ(why_not_accepted(held(server.secret, "tls.crt"), held(server.secret, "ca.crt"), name, kNow), "")
          << name;
    }
  }
  EXPECT_THAT(kServers[1].names(kNs),
              ElementsAre("rollcall-webhook.rollcall-system.svc", "rollcall-webhook.rollcall-system",
                          "rollcall-webhook.rollcall-system.svc.cluster.local"));
}

TEST_F(CertificateStore, ExpiriesAreTold) {
  EXPECT_THAT(keep(kNow)->expires, ElementsAre(std::pair{"ca", kNow + kDay * 365}, std::pair{"desk", kNow + kDay * 90},
                                               std::pair{"webhook", kNow + kDay * 90}));
}

TEST_F(CertificateStore, KilledAfterAnyWriteGoesOn) {
  for (int kill = 0; kill < 3; ++kill) {
    SCOPED_TRACE("killed after write " + std::to_string(kill));
    client_.objects.clear();
    client_.writes.clear();
    client_.writes_left = kill;
    EXPECT_FALSE(keep(kNow).ok());
    client_.writes_left.reset();
    const auto trust = keep(kNow);
    ASSERT_TRUE(trust.ok()) << trust.error().message;
    EXPECT_EQ(client_.writes.size(), 3U) << "nothing is written twice";
    EXPECT_EQ(held("rollcall-webhook-tls", "ca.crt"), trust->bundle);
  }
}

TEST_F(CertificateStore, LeafIsRenewedInPlace) {
  const auto bundle = keep(kNow)->bundle;
  const auto before = held("rollcall-desk-tls", "tls.crt");
  EXPECT_EQ(keep(kNow + kDay * 70)->bundle, bundle);
  EXPECT_NE(held("rollcall-desk-tls", "tls.crt"), before);
}

TEST_F(CertificateStore, SecretThatSomebodyDeletedOrSpoiltIsBackUnderTheSameAuthority) {
  const auto bundle = keep(kNow)->bundle;
  client_.objects.erase("secrets/rollcall-system/rollcall-desk-tls");
  client_.objects.at("secrets/rollcall-system/rollcall-webhook-tls")["data"]["tls.key"] = "bm8=";
  EXPECT_EQ(keep(kNow)->bundle, bundle);
  EXPECT_EQ(why_not_accepted(held("rollcall-desk-tls", "tls.crt"), bundle, kServers[0].names(kNs)[0], kNow), "");
  EXPECT_TRUE(fits({held("rollcall-webhook-tls", "tls.crt"), held("rollcall-webhook-tls", "tls.key")}));
}

TEST_F(CertificateStore, ServersAreSignedByTheNextAuthorityOnlyAfterItWasTold) {
  ASSERT_TRUE(keep(kNow).ok());
  const auto told = keep(kNow + kDay * 250)->bundle;
  EXPECT_EQ(held("rollcall-desk-tls", "ca.crt"), told) << "two authorities by now";
  EXPECT_EQ(why_not_accepted(held("rollcall-desk-tls", "tls.crt"), held("rollcall-ca", "ca.crt"),
                             kServers[0].names(kNs)[0], kNow + kDay * 250),
            "");
  const auto old = held("rollcall-ca", "ca.crt");
  ASSERT_TRUE(keep(kNow + kDay * 310).ok());
  EXPECT_NE(held("rollcall-ca", "ca.crt"), old);
  for (const auto& bundle : {told, old}) {
    EXPECT_EQ(
        why_not_accepted(held("rollcall-desk-tls", "tls.crt"), bundle, kServers[0].names(kNs)[0], kNow + kDay * 364),
        "")
        << "a probe that waits since before the rotation";
  }
}

TEST_F(CertificateStore, RefusalNamesTheSecret) {
  client_.refusals["create secrets/rollcall-system/rollcall-ca"] = {403, "Forbidden", "secrets is forbidden", 0};
  const auto trust = keep(kNow);
  ASSERT_FALSE(trust.ok());
  EXPECT_THAT(trust.error().message, HasSubstr("writing Secret rollcall-ca"));
}

// ---- kept by others
TEST_F(CertificateStore, OthersSecretsAreReadAndNeverWritten) {
  ASSERT_TRUE(keep(kNow).ok());
  const auto writes = client_.writes.size();
  const auto trust = read_secrets(client_, kNs, {kServers[0]});
  ASSERT_TRUE(trust.ok()) << trust.error().message;
  EXPECT_EQ(trust->bundle, held("rollcall-desk-tls", "ca.crt"));
  EXPECT_EQ(trust->expires.at("desk"), kNow + kDay * 90);
  EXPECT_EQ(client_.writes.size(), writes);
}

TEST_F(CertificateStore, OthersSecretThatIsMissingOrLacksItsAuthorityIsNamed) {
  EXPECT_THAT(read_secrets(client_, kNs, {kServers[0]}).error().message,
              HasSubstr("there is no Secret rollcall-desk-tls in namespace rollcall-system"));
  ASSERT_TRUE(keep(kNow).ok());
  client_.objects.at("secrets/rollcall-system/rollcall-desk-tls")["data"].erase("ca.crt");
  EXPECT_THAT(read_secrets(client_, kNs, {kServers[0]}).error().message,
              HasSubstr("Secret rollcall-desk-tls has no certificate in ca.crt"));
}

}  // namespace
}  // namespace rollcall::operator_
