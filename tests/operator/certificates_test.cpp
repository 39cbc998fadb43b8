#include "operator/certificates.h"

#include <gmock/gmock.h>

#include "api/names.h"
#include "operator/certificate_store.h"
#include "operator/desk_reference.h"
#include "operator/world.h"

namespace rollcall::operator_ {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing_world::at;
using testing_world::FakeClient;
namespace names = api::names;

constexpr auto kName = "rollcall-desk.rollcall-system.svc";
constexpr auto kDay = std::chrono::hours(24);
const WallTime kNow = at("2026-11-30T12:00:00Z");

Authority stored(WallTime now) { return *authority_at(std::nullopt, now); }

TEST(Certificates, AuthorityIsGoodForAYearAndBackdated) {
  const auto made = *make_authority(kNow);
  const auto validity = *validity_of(made.certificate);
  EXPECT_EQ(validity.from, kNow - kDay) << "a node whose clock is behind accepts it";
  EXPECT_EQ(validity.to, kNow + kDay * 365);
}

TEST(Certificates, LeafIsForTheNameAndSignedByTheAuthority) {
  const auto authority = *make_authority(kNow);
  const auto other = *make_authority(kNow);
  const auto leaf = *issue(authority, kName, kNow);
  EXPECT_TRUE(issued_by(leaf.certificate, authority.certificate, kName));
  EXPECT_FALSE(issued_by(leaf.certificate, authority.certificate, "rollcall-desk.other.svc"));
  EXPECT_FALSE(issued_by(leaf.certificate, other.certificate, kName));
  EXPECT_EQ(validity_of(leaf.certificate)->to, kNow + kDay * 90);
}

TEST(Certificates, LeafNeverOutlivesItsAuthority) {
  const auto authority = *make_authority(kNow);
  const auto late = kNow + kDay * 300;
  EXPECT_EQ(validity_of(issue(authority, kName, late)->certificate)->to, validity_of(authority.certificate)->to);
}

TEST(Certificates, LeafStaysUntilTwoThirdsOfItsLife) {
  const auto authority = stored(kNow);
  const auto leaf = *leaf_at(std::nullopt, authority, kName, kNow);
  EXPECT_EQ(*leaf_at(leaf, authority, kName, kNow + kDay * 58), leaf);
  EXPECT_NE(*leaf_at(leaf, authority, kName, kNow + kDay * 61), leaf);
}

TEST(Certificates, LeafOfAnotherNameOrAuthorityOrKeyIsIssuedAnew) {
  const auto authority = stored(kNow);
  const auto leaf = *leaf_at(std::nullopt, authority, kName, kNow);
  EXPECT_NE(*leaf_at(leaf, authority, "elsewhere.svc", kNow), leaf);
  EXPECT_NE(*leaf_at(leaf, stored(kNow), kName, kNow), leaf);
  EXPECT_NE(*leaf_at(KeyPair{leaf.certificate, "no key"}, authority, kName, kNow), leaf);
}

TEST(Certificates, NextAuthorityIsToldBeforeItSignsAndTheFormerAfter) {
  const auto first = stored(kNow);
  EXPECT_EQ(*authority_at(first, kNow + kDay * 240), first);

  const auto told = *authority_at(first, kNow + kDay * 250);
  EXPECT_EQ(told.current, first.current);
  ASSERT_TRUE(told.next);
  EXPECT_THAT(bundle_of(told), HasSubstr(told.next->certificate));

  const auto promoted = *authority_at(told, kNow + kDay * 310);
  EXPECT_EQ(promoted.current, *told.next);
  EXPECT_EQ(promoted.previous, first.current.certificate);
  EXPECT_THAT(bundle_of(promoted), HasSubstr(first.current.certificate))
      << "pods that hold the former one still trust the desk's old leaf";

  const auto forgotten = *authority_at(promoted, kNow + kDay * 366);
  EXPECT_EQ(forgotten.previous, "");
  EXPECT_EQ(forgotten.current, promoted.current);
}

TEST(Certificates, AuthorityThatWasNotLookedAtForLongIsToldBeforeItIsPromoted) {
  const auto told = *authority_at(stored(kNow), kNow + kDay * 320);
  EXPECT_TRUE(told.next) << "past 5/6, but nobody knows the next one yet";
  EXPECT_FALSE(authority_at(told, kNow + kDay * 321)->next);
}

TEST(Certificates, ExpiredOrUnreadableAuthorityIsMadeAnew) {
  const auto first = stored(kNow);
  EXPECT_NE(authority_at(first, kNow + kDay * 400)->current, first.current);
  auto broken = first;
  broken.current.key = "no key";
  EXPECT_NE(authority_at(broken, kNow)->current, first.current);
}

TEST(Certificates, TextThatIsNoCertificateIsAnError) {
  EXPECT_FALSE(validity_of("").ok());
  EXPECT_FALSE(issue(KeyPair{"x", "y"}, kName, kNow).ok());
}

// ---- the Secrets
TEST(CertificateStore, SecretsAreMadeOnceAndStay) {
  FakeClient client;
  const auto bundle = keep_certificates(client, "rollcall-system", kName, kNow);
  ASSERT_TRUE(bundle.ok()) << bundle.error().message;
  EXPECT_THAT(client.writes, testing::ElementsAre("create secrets/rollcall-system/rollcall-ca",
                                                  "create secrets/rollcall-system/rollcall-desk-tls"));
  const auto& tls = client.objects.at("secrets/rollcall-system/rollcall-desk-tls");
  EXPECT_EQ(tls["type"], "kubernetes.io/tls");
  EXPECT_FALSE(tls["data"].contains("ca.key")) << "the authority's key is the operator's alone";
  EXPECT_EQ(*keep_certificates(client, "rollcall-system", kName, kNow + 1h), *bundle);
  EXPECT_EQ(client.writes.size(), 2U);
}

TEST(CertificateStore, KilledAfterTheFirstSecretGoesOn) {
  FakeClient client;
  client.writes_left = 1;
  EXPECT_FALSE(keep_certificates(client, "rollcall-system", kName, kNow).ok());
  client.writes_left.reset();
  const auto bundle = keep_certificates(client, "rollcall-system", kName, kNow);
  ASSERT_TRUE(bundle.ok()) << bundle.error().message;
  EXPECT_EQ(client.writes.size(), 2U);
}

TEST(CertificateStore, LeafIsRenewedInPlace) {
  FakeClient client;
  const auto bundle = *keep_certificates(client, "rollcall-system", kName, kNow);
  const auto before = client.objects.at("secrets/rollcall-system/rollcall-desk-tls")["data"];
  EXPECT_EQ(*keep_certificates(client, "rollcall-system", kName, kNow + kDay * 70), bundle);
  const auto after = client.objects.at("secrets/rollcall-system/rollcall-desk-tls")["data"];
  EXPECT_NE(after["tls.crt"], before["tls.crt"]);
  EXPECT_EQ(after["ca.crt"], before["ca.crt"]);
}

TEST(CertificateStore, RefusalNamesTheSecret) {
  FakeClient client;
  client.refusals["create secrets/rollcall-system/rollcall-ca"] = {403, "Forbidden", "secrets is forbidden", 0};
  const auto bundle = keep_certificates(client, "rollcall-system", kName, kNow);
  ASSERT_FALSE(bundle.ok());
  EXPECT_THAT(bundle.error().message, HasSubstr("writing Secret rollcall-ca"));
}

// ---- the Service
TEST(DeskReference, AddressIsTheClusterIpAndItsPort) {
  using nlohmann::json;
  EXPECT_EQ(*address_of_service(json::parse(R"({"spec": {"clusterIP": "10.96.3.4", "ports": [{"port": 443}]}})")),
            "10.96.3.4:443");
  EXPECT_EQ(*address_of_service(json::parse(R"({"spec": {"clusterIP": "fd00::4", "ports": [{"port": 443}]}})")),
            "[fd00::4]:443");
  EXPECT_THAT(
      address_of_service(json::parse(R"({"spec": {"clusterIP": "None", "ports": [{"port": 443}]}})")).error().message,
      HasSubstr("no cluster IP"));
  EXPECT_THAT(address_of_service(json::parse(R"({"spec": {"clusterIP": "10.96.3.4"}})")).error().message,
              HasSubstr("no port"));
}

TEST(DeskReference, ServiceThatIsMissingIsNamedAndTheCertificateIsKeptAllTheSame) {
  FakeClient client;
  DeskReference desk(
      client, {.ns = "rollcall-system", .probe_image = "probe:1", .probe_image_pull_policy = "", .kubeconfig = ""});
  EXPECT_FALSE(desk.refresh().ok());
  EXPECT_FALSE(desk.known().settings);
  EXPECT_TRUE(desk.known().certificates);
  EXPECT_THAT(desk.known().missing, HasSubstr("Service rollcall-desk in namespace rollcall-system"));
  client.store(
      "services/rollcall-system/rollcall-desk",
      nlohmann::json::parse(R"({"metadata": {}, "spec": {"clusterIP": "10.96.3.4", "ports": [{"port": 443}]}})"));
  ASSERT_TRUE(desk.refresh().ok());
  EXPECT_EQ(desk.known().settings->desk_address, "10.96.3.4:443");
  EXPECT_EQ(desk.known().settings->desk_name, kName);
  client.objects.erase("services/rollcall-system/rollcall-desk");
  EXPECT_FALSE(desk.refresh().ok());
  EXPECT_TRUE(desk.known().settings) << "a Service that cannot be read for a moment is still where it was";
}

}  // namespace
}  // namespace rollcall::operator_
