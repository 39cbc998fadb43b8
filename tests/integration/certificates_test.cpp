// Certificates, the caBundle and the lease against a real API server, named by KUBECONFIG. What only a fake can play
// stands in tests/operator/trust.
#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "api/names.h"
#include "kube/base64.h"
#include "operator/trust/verify.h"
#include "operator/upkeep.h"
#include "probe/support/process.h"

namespace rollcall::operator_ {
namespace {

using namespace std::chrono_literals;
using kube::Json;
using probe::testing::eventually;
using probe::testing::Process;
using testing_world::why_not_accepted;
namespace names = api::names;

constexpr auto kDay = std::chrono::hours(24);
const WallTime kNow = *rfc3339_from("2026-11-30T12:00:00Z");

/// A namespace with the desk's Service in it, and a webhook configuration that catches nothing.
class RealCluster : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* value = std::getenv("KUBECONFIG"); value == nullptr || *value == '\0') {
      GTEST_SKIP() << "KUBECONFIG is not set: no API server to test against (dev/cluster up prints the line to export)";
    }
    const auto credentials = kube::kubeconfig_credentials();
    ASSERT_TRUE(credentials.ok()) << credentials.error().message;
    auto made = kube::Client::make(*credentials);
    ASSERT_TRUE(made.ok()) << made.error().message;
    client_ = std::move(*made);
    static int tests = 0;
    ns_ = "operator-test-" + std::to_string(getpid()) + '-' + std::to_string(++tests);
    require(client_->create(kube::kNamespaces, "",
                            {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns_}}}}));
    require(client_->create(kube::kServices, ns_,
                            {{"apiVersion", "v1"},
                             {"kind", "Service"},
                             {"metadata", {{"name", "rollcall-desk"}}},
                             {"spec", {{"ports", Json::array({{{"port", 443}}})}}}}));
  }
  void TearDown() override {
    if (!client_ || ns_.empty()) return;
    remove_configuration();
    EXPECT_TRUE(client_->remove(kube::kNamespaces, "", ns_).ok());
  }

  static void require(const kube::Reply& reply) { ASSERT_TRUE(reply.ok()) << reply.error().text(); }

  /// Named as the namespace. Its one webhook is for a resource that there is not, and may fail.
  void make_configuration() {
    require(client_->create(
        kube::kWebhookConfigurations, "",
        {{"apiVersion", "admissionregistration.k8s.io/v1"},
         {"kind", "ValidatingWebhookConfiguration"},
         {"metadata", {{"name", ns_}}},
         {"webhooks", Json::array({{{"name", "nothing.rollcall.dev"},
                                    {"sideEffects", "None"},
                                    {"failurePolicy", "Ignore"},
                                    {"admissionReviewVersions", Json::array({"v1"})},
                                    {"clientConfig", {{"service", {{"namespace", ns_}, {"name", "rollcall-webhook"}}}}},
                                    {"rules", Json::array({{{"apiGroups", Json::array({"nothing.rollcall.dev"})},
                                                            {"apiVersions", Json::array({"v1"})},
                                                            {"operations", Json::array({"CREATE"})},
                                                            {"resources", Json::array({"nothings"})}}})}}})}}));
  }
  void remove_configuration() {
    const auto reply = client_->remove(kube::kWebhookConfigurations, "", ns_);
    EXPECT_TRUE(reply.ok() || reply.error().not_found()) << reply.error().text();
  }
  void set_ca_bundle(const Json& value) {
    for (int tries = 0; tries < 10; ++tries) {
      auto object = client_->get(kube::kWebhookConfigurations, "", ns_);
      require(object);
      object.value()["webhooks"][0]["clientConfig"]["caBundle"] = value;
      const auto written = client_->replace(kube::kWebhookConfigurations, "", ns_, object.value());
      if (written) return;
      ASSERT_TRUE(written.error().conflict()) << written.error().text();
    }
    FAIL() << "ten conflicts in a row";
  }
  std::string ca_bundle() {
    const auto object = client_->get(kube::kWebhookConfigurations, "", ns_);
    if (!object) return "";
    return object.value()["webhooks"][0]["clientConfig"].value("caBundle", "");
  }
  std::string secret(const std::string& name, const char* field) {
    const auto object = client_->get(kube::kSecrets, ns_, name);
    if (!object) return object.error().text();
    return kube::base64_decode(object.value()["data"].value(field, "")).value_or("no base64");
  }

  Upkeep::Settings settings(std::function<WallTime()> now) const {
    Upkeep::Settings settings;
    settings.ns = ns_;
    settings.servers = {{"desk", names::kDeskSecret, "rollcall-desk"},
                        {"webhook", names::kWebhookSecret, "rollcall-webhook"}};
    settings.configurations = {ns_};
    settings.webhook = {ns_, "rollcall-webhook"};
    settings.now = std::move(now);
    return settings;
  }

  std::unique_ptr<kube::Client> client_;
  std::string ns_;
};

TEST_F(RealCluster, CaBundleIsHealedWithinSecondsOfAnyChange) {
  make_configuration();
  DeskReference desk(*client_, {ns_, "rollcall-desk", "probe:1", ""});
  Upkeep upkeep(*client_, desk, settings([] { return kNow; }));
  upkeep.start();
  const auto healed = [&] { return ca_bundle() == kube::base64_encode(secret(names::kWebhookSecret, "ca.crt")); };
  ASSERT_TRUE(eventually([&] { return !ca_bundle().empty() && healed(); }, 10s));

  const auto stranger = make_authority(kNow, kDay)->certificate;
  set_ca_bundle(kube::base64_encode(stranger));
  EXPECT_TRUE(eventually(healed, 5s)) << "another's authority";
  set_ca_bundle(nullptr);
  EXPECT_TRUE(eventually(healed, 5s)) << "emptied";
  remove_configuration();
  make_configuration();
  EXPECT_TRUE(eventually([&] { return !ca_bundle().empty() && healed(); }, 5s)) << "installed anew";
}

TEST_F(RealCluster, RotationOverlaps) {
  make_configuration();
  std::atomic<WallTime> now{kNow};
  DeskReference desk(*client_, {ns_, "rollcall-desk", "probe:1", ""});
  Upkeep upkeep(*client_, desk, settings([&] { return now.load(); }));
  const auto look = [&](std::chrono::hours after) {
    now = kNow + after;
    const auto looked = upkeep.look();
    ASSERT_TRUE(looked.ok()) << looked.error().message;
    // Whatever the day: who trusts what the API server was told accepts both servers.
    const auto told = kube::base64_decode(ca_bundle()).value_or("");
    for (const auto& [name, service] :
         {std::pair{names::kDeskSecret, "rollcall-desk"}, std::pair{names::kWebhookSecret, "rollcall-webhook"}}) {
      EXPECT_EQ(why_not_accepted(secret(name, "tls.crt"), told, std::string(service) + "." + ns_ + ".svc", now), "")
          << name << " after " << after.count() / 24 << " days";
    }
  };
  look(0h);
  const auto first = desk.known().settings->desk_ca;
  look(kDay * 250);
  EXPECT_NE(desk.known().settings->desk_ca, first) << "the next authority is told";
  EXPECT_EQ(why_not_accepted(secret(names::kDeskSecret, "tls.crt"), first, "rollcall-desk." + ns_ + ".svc", now), "");
  look(kDay * 310);
  EXPECT_EQ(why_not_accepted(secret(names::kDeskSecret, "tls.crt"), first, "rollcall-desk." + ns_ + ".svc", now), "")
      << "a probe that waits since the first day, after the next authority signed";
  look(kDay * 370);
}

/// Two processes, in a namespace without jobs.
class TwoOperators : public RealCluster {
 protected:
  std::unique_ptr<Process> start(const std::string& pod) {
    return std::make_unique<Process>(
        std::vector<std::string>{ROLLCALL_BIN_DIR "/rollcall-operator", "--namespace=" + ns_,
                                 "--watch-namespace=" + ns_, "--probe-image=probe:1", "--webhook-configuration=" + ns_,
                                 "--health-port=0", "--metrics-port=0",
                                 "--kubeconfig=" + std::string(std::getenv("KUBECONFIG"))},
        std::map<std::string, std::string>{{"POD_NAME", pod}, {"HOME", "/nonexistent"}});
  }
  std::string holder() {
    const auto lease = client_->get(kube::kLeases, ns_, names::kOperatorLease);
    return lease ? lease.value()["spec"].value("holderIdentity", "") : "";
  }
  bool held_by(const std::string& pod, std::chrono::seconds limit) {
    return eventually([&] { return holder().starts_with(pod + "_"); }, limit);
  }
};

TEST_F(TwoOperators, LeaseIsTakenOverFromWhoEndsIsKilledOrIsStopped) {
  auto one = start("one");
  ASSERT_TRUE(held_by("one", 20s)) << one->output();
  ASSERT_TRUE(eventually([&] { return secret(names::kDeskSecret, "tls.crt").starts_with("-----BEGIN"); }, 10s))
      << one->output();
  auto two = start("two");
  ASSERT_TRUE(two->prints("stand for election", 20s)) << two->output();

  one->signal(SIGTERM);
  EXPECT_EQ(one->wait(10s), 0) << one->output();
  EXPECT_TRUE(held_by("two", 6s)) << "given back, not waited for\n" << two->output();

  auto three = start("three");
  ASSERT_TRUE(three->prints("stand for election", 20s)) << three->output();
  two->signal(SIGKILL);
  EXPECT_TRUE(held_by("three", 25s)) << three->output();

  auto four = start("four");
  ASSERT_TRUE(four->prints("stand for election", 20s)) << four->output();
  three->signal(SIGSTOP);
  EXPECT_TRUE(held_by("four", 25s)) << four->output();
  three->signal(SIGCONT);
  const auto code = three->wait(10s);
  ASSERT_TRUE(code.has_value()) << "the woken leader goes on\n" << three->output();
  EXPECT_NE(*code, 0);
  EXPECT_TRUE(held_by("four", 1s));
}

}  // namespace
}  // namespace rollcall::operator_
