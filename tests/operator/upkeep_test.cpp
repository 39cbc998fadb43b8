#include "operator/upkeep.h"

#include <gmock/gmock.h>

#include "operator/world.h"

namespace rollcall::operator_ {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing_world::at;
using testing_world::FakeClient;

const WallTime kNow = at("2026-11-30T12:00:00Z");

class UpkeepOf : public testing::Test {
 protected:
  Upkeep::Settings settings() const {
    Upkeep::Settings settings;
    settings.ns = "rollcall-system";
    settings.servers = {{"desk", "rollcall-desk-tls", "rollcall-desk"}};
    settings.configurations = {"rollcall"};
    settings.webhook = {"rollcall-system", "rollcall-webhook"};
    settings.now = [] { return kNow; };
    return settings;
  }
  void store_service() {
    client_.store("services/rollcall-system/rollcall-desk",
                  json::parse(R"({"metadata": {}, "spec": {"clusterIP": "10.96.3.4", "ports": [{"port": 443}]}})"));
  }
  void store_configuration() {
    client_.store("validatingwebhookconfigurations//rollcall", json::parse(R"({"metadata": {"name": "rollcall"},
        "webhooks": [{"clientConfig": {"service": {"namespace": "rollcall-system", "name": "rollcall-webhook"}}}]})"));
  }
  FakeClient client_;
  DeskReference desk_{client_, {"rollcall-system", "rollcall-desk", "probe:1", ""}};
};

TEST_F(UpkeepOf, ALookBringsAllInOrder) {
  store_service();
  store_configuration();
  std::optional<Trust> kept;
  Upkeep upkeep(client_, desk_, settings(), [&](const Trust& trust) { kept = trust; });
  const auto looked = upkeep.look();
  ASSERT_TRUE(looked.ok()) << looked.error().message;
  ASSERT_TRUE(kept);
  ASSERT_TRUE(desk_.known().settings);
  EXPECT_EQ(desk_.known().settings->desk_address, "10.96.3.4:443");
  EXPECT_EQ(desk_.known().settings->desk_name, "rollcall-desk.rollcall-system.svc");
  EXPECT_EQ(desk_.known().settings->desk_ca, kept->bundle);
  EXPECT_TRUE(client_.objects.at("validatingwebhookconfigurations//rollcall")["webhooks"][0]["clientConfig"].contains(
      "caBundle"));
}

TEST_F(UpkeepOf, AMissingServiceIsNamedAndTheRestIsDoneAllTheSame) {
  store_configuration();
  Upkeep upkeep(client_, desk_, settings());
  EXPECT_FALSE(desk_.looked_up()) << "no job is told that a desk is missing that nobody looked for";
  EXPECT_THAT(upkeep.look().error().message, HasSubstr("Service rollcall-desk in namespace rollcall-system"));
  EXPECT_TRUE(desk_.looked_up());
  EXPECT_THAT(desk_.known().missing, HasSubstr("Pods are not created: Service rollcall-desk"));
  EXPECT_TRUE(client_.objects.contains("secrets/rollcall-system/rollcall-desk-tls"));
  store_service();
  ASSERT_TRUE(upkeep.look().ok());
  client_.objects.erase("services/rollcall-system/rollcall-desk");
  EXPECT_FALSE(upkeep.look().ok());
  EXPECT_TRUE(desk_.known().settings) << "a Service that cannot be read for a moment is still where it was";
}

TEST_F(UpkeepOf, AConfigurationThatMayNotBeWrittenDoesNotKeepPodsFromTheirDesk) {
  store_service();
  store_configuration();
  client_.refusals["patch validatingwebhookconfigurations//rollcall"] = {403, "Forbidden", "may not", 0};
  Upkeep upkeep(client_, desk_, settings());
  EXPECT_THAT(upkeep.look().error().message, HasSubstr("caBundle"));
  EXPECT_TRUE(desk_.known().settings);
}

TEST_F(UpkeepOf, ExternalCertificatesAreReadAndNothingIsWritten) {
  store_service();
  store_configuration();
  ASSERT_TRUE(keep_secrets(client_, "rollcall-system", settings().servers, {}, kNow).ok());
  client_.writes.clear();
  auto external = settings();
  external.external = true;
  external.keep_ca_bundle = false;
  Upkeep upkeep(client_, desk_, external);
  ASSERT_TRUE(upkeep.look().ok());
  EXPECT_THAT(client_.writes, testing::IsEmpty());
  EXPECT_TRUE(desk_.known().settings);
}

TEST_F(UpkeepOf, SecretsThatCannotBeKeptAreToldToWhoWaitsForPods) {
  client_.refusals["create secrets/rollcall-system/rollcall-ca"] = {403, "Forbidden", "may not", 0};
  Upkeep upkeep(client_, desk_, settings());
  EXPECT_FALSE(upkeep.look().ok());
  EXPECT_THAT(desk_.known().missing, HasSubstr("Pods are not created: the certificates cannot be kept"));
}

// ---- the Service
TEST(DeskReference, AddressIsTheClusterIpAndItsPort) {
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

}  // namespace
}  // namespace rollcall::operator_
