#include "operator/trust/ca_bundle.h"

#include <gmock/gmock.h>

#include "kube/base64.h"
#include "operator/world.h"

namespace rollcall::operator_ {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_world::FakeClient;

constexpr auto kKey = "validatingwebhookconfigurations//rollcall";
const WebhookService kService{"rollcall-system", "rollcall-webhook"};

json configuration() {
  return json::parse(R"({
    "metadata": {"name": "rollcall", "uid": "u", "labels": {"keep": "me"}},
    "webhooks": [
      {"name": "trainingjob.rollcall.dev", "failurePolicy": "Fail",
       "clientConfig": {"service": {"namespace": "rollcall-system", "name": "rollcall-webhook", "path": "/validate"}}},
      {"name": "other.example.com", "clientConfig": {"url": "https://other.example.com", "caBundle": "b3RoZXI="}},
      {"name": "twin.example.com", "clientConfig": {"service": {"namespace": "other", "name": "rollcall-webhook"}}}]})");
}

TEST(CaBundle, IsWrittenIntoOurWebhooksAlone) {
  const auto before = configuration();
  const auto mended = trusting(before, kService, "PEM");
  ASSERT_TRUE(mended);
  auto expected = before;
  expected["webhooks"][0]["clientConfig"]["caBundle"] = kube::base64_encode("PEM");
  EXPECT_EQ(*mended, expected);
  EXPECT_FALSE(trusting(*mended, kService, "PEM")) << "nothing is left to do";
}

TEST(CaBundle, OthersAuthorityBesideOursIsTakenOut) {
  auto spoilt = configuration();
  spoilt["webhooks"][0]["clientConfig"]["caBundle"] = kube::base64_encode("PEM and another's PEM");
  EXPECT_EQ((*trusting(spoilt, kService, "PEM"))["webhooks"][0]["clientConfig"]["caBundle"],
            kube::base64_encode("PEM"));
}

TEST(CaBundle, ConfigurationOfAnUnexpectedShapeIsLeftAlone) {
  for (const auto* text : {"{}", R"({"webhooks": null})", R"({"webhooks": [{}]})",
                           R"({"webhooks": [{"clientConfig": {"service": null}}]})"}) {
    EXPECT_FALSE(trusting(json::parse(text), kService, "PEM")) << text;
  }
}

TEST(CaBundle, IsHealedWhateverSomebodyMadeOfIt) {
  FakeClient client;
  client.store(kKey, configuration());
  EXPECT_EQ(*keep_ca_bundle(client, "rollcall", kService, "PEM"), Healed::Mended);
  EXPECT_EQ(*keep_ca_bundle(client, "rollcall", kService, "PEM"), Healed::True);
  for (const json& value : {json(""), json(nullptr), json("bm8=")}) {
    client.objects.at(kKey)["webhooks"][0]["clientConfig"]["caBundle"] = value;
    EXPECT_EQ(*keep_ca_bundle(client, "rollcall", kService, "PEM"), Healed::Mended);
    EXPECT_EQ(client.objects.at(kKey)["webhooks"][0]["clientConfig"]["caBundle"], kube::base64_encode("PEM"));
  }
  EXPECT_EQ(client.objects.at(kKey)["metadata"]["labels"]["keep"], "me");
}

TEST(CaBundle, AbsentConfigurationMeansThatTheWebhookIsOff) {
  FakeClient client;
  EXPECT_EQ(*keep_ca_bundle(client, "rollcall", kService, "PEM"), Healed::Absent);
  EXPECT_THAT(client.writes, ElementsAre());
}

TEST(CaBundle, RefusalNamesTheConfiguration) {
  FakeClient client;
  client.store(kKey, configuration());
  client.refusals[std::string("patch ") + kKey] = {403, "Forbidden", "may not", 0};
  EXPECT_THAT(keep_ca_bundle(client, "rollcall", kService, "PEM").error().message,
              HasSubstr("caBundle of ValidatingWebhookConfiguration rollcall: 403"));
  client.refusals[std::string("patch ") + kKey] = {409, "Conflict", "modified", 0};
  EXPECT_EQ(keep_ca_bundle(client, "rollcall", kService, "PEM").error().code, "Conflict") << "after three tries";
}

}  // namespace
}  // namespace rollcall::operator_
