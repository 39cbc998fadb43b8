// Certificates change under programs that serve and probes that wait.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "api/names.h"
#include "e2e/add_on.h"
#include "kube/base64.h"

namespace rollcall::e2e {
namespace {

using testing::IsEmpty;

namespace names = api::names;

/// What a Secret of ours holds under `key`, or "".
std::string secret(World& world, const std::string& name, const std::string& key) {
  const auto got = world.api().get(kube::kSecrets, kAddOnNamespace, name);
  return got ? got.value().value("data", Json::object()).value(key, "") : "";
}

std::string uid(World& world, const std::string& name) {
  const auto got = world.api().get(kube::kSecrets, kAddOnNamespace, name);
  return got ? got.value()["metadata"].value("uid", "") : "";
}

/// Serial number of a certificate: of the Secret, and of what is served on a Service's port, asked from node 1.
std::string serial_of(const std::string& source) {
  const std::string said =
      cluster({"node", "1", "bash", "-c", source + " | openssl x509 -noout -serial 2>&1 | sed -n 's/^serial=//p'"});
  return said.substr(0, said.find('\n'));
}
std::string stored_serial(World& world, const std::string& name) {
  const ManifestFile file(secret(world, name, "tls.crt"));
  return serial_of("base64 -d <" + file.path());
}
std::string served_serial(World& world, const std::string& service) {
  const auto got = world.api().get(kube::kServices, kAddOnNamespace, service);
  if (!got) return "(no Service)";
  const std::string address = got.value()["spec"].value("clusterIP", "");
  return serial_of("timeout 5 openssl s_client -connect " + address + ":443 </dev/null 2>/dev/null");
}

/// The kubelet looks at mounted Secrets when a pod changes, and else within a minute or two.
void nudge(AddOn& add_on, World& world, const std::string& program) {
  for (const Json& pod : add_on.pods(program)) {
    const auto reply = world.api().merge_patch(kube::kPods, kAddOnNamespace, pod["metadata"].value("name", ""),
                                               {{"metadata", {{"annotations", {{"e2e-nudged", world.ns()}}}}}});
    EXPECT_TRUE(reply.ok() || reply.error().not_found()) << reply.error().text();
  }
}

/// A job that is held whatever its nodes are.
void hold_one(World& world) {
  world.start(training_job("held", {.nnodes = 1, .args = {}}));
  world.wait_for_phase("held", "Held", seconds(90));
}

void release_and_train(World& world) {
  world.annotate("held", "rollcall.dev/release", "the test is over");
  world.wait_for_phase("held", "Succeeded", seconds(60));
}

TEST(Certificates, ACaBundleThatSomebodyEmptiesOrForgesIsHealedInSeconds) {
  ROLLCALL_WORLD(world);
  AddOn add_on(world);
  const std::string ours = add_on.ca_bundle();
  ASSERT_FALSE(ours.empty());
  const Said other =
      kubectl({"-n", kAddOnNamespace, "get", "configmap", "kube-root-ca.crt", "-o", R"(jsonpath={.data.ca\.crt})"});
  ASSERT_TRUE(other.ok()) << other.text;
  const std::string path = "/webhooks/0/clientConfig/caBundle";
  const Json emptied = {{"op", "remove"}, {"path", path}};
  const Json forged = {{"op", "replace"}, {"path", path}, {"value", kube::base64_encode(other.text)}};
  for (const Json& change : {emptied, forged}) {
    const Said said = kubectl(
        {"patch", "validatingwebhookconfiguration", "rollcall", "--type=json", "-p", Json::array({change}).dump()});
    ASSERT_TRUE(said.ok()) << said.text;
    EXPECT_TRUE(World::eventually(seconds(10), [&] { return add_on.ca_bundle() == ours; })) << change["op"];
  }
  Admissions admissions(world);
  EXPECT_TRUE(World::eventually(seconds(20), [&] { return admissions.refused_by_rule() > 0; }));
}

TEST(Certificates, RenewedNowTheNewOnesAreServedNoReviewIsLostAndWaitingProbesSurvive) {
  ROLLCALL_WORLD(world);
  AddOn add_on(world);
  const NamespacePolicy policy(world, "hold", kHoldsEveryJob);
  hold_one(world);
  const auto waiting = pod_uids(world, "held");
  const std::string authority = add_on.ca_bundle();
  Admissions admissions(world);
  const std::string command = "kubectl -n rollcall-system delete secret rollcall-webhook-tls";
  const std::map<std::string, std::string> programs = {{"webhook", names::kWebhookSecret},
                                                       {"desk", names::kDeskSecret}};
  std::map<std::string, std::string> old;
  for (const auto& [program, name] : programs) {
    ASSERT_EQ(served_serial(world, "rollcall-" + program), stored_serial(world, name));
    old[name] = uid(world, name);
  }
  for (const auto& [program, name] : programs) {
    const Said said = documented(command, {}, {{names::kWebhookSecret, name}});
    ASSERT_TRUE(said.ok()) << said.text;
  }
  for (const auto& [program, name] : programs) {
    ASSERT_TRUE(World::eventually(seconds(75),
                                  [&] {
                                    const std::string now = uid(world, name);
                                    return !now.empty() && now != old[name];
                                  }))
        << name << " is made anew";
    nudge(add_on, world, program);
  }
  for (const auto& [program, name] : programs) {
    const std::string fresh = stored_serial(world, name);
    EXPECT_TRUE(World::eventually(seconds(120), [&] { return served_serial(world, "rollcall-" + program) == fresh; }))
        << program;
  }
  admissions.stop();
  EXPECT_THAT(admissions.others(), IsEmpty());
  EXPECT_EQ(add_on.ca_bundle(), authority) << "the authority is the same";
  for (const char* program : kPrograms) {
    for (const Json& pod : add_on.pods(program))
      EXPECT_EQ(pod["status"]["containerStatuses"][0].value("restartCount", -1), 0) << program;
  }
  release_and_train(world);
  EXPECT_EQ(pod_uids(world, "held"), waiting);
}

TEST(Certificates, AnAuthorityDistrustedAtOnceIsReplacedAndTheNextAttemptTrustsTheNewOne) {
  ROLLCALL_WORLD(world);
  AddOn add_on(world);
  const NamespacePolicy policy(world, "hold", kHoldsEveryJob);
  hold_one(world);
  const std::string old = add_on.ca_bundle();
  const Said deleted =
      documented("kubectl -n rollcall-system delete secret rollcall-ca rollcall-desk-tls rollcall-webhook-tls");
  ASSERT_TRUE(deleted.ok()) << deleted.text;
  ASSERT_TRUE(World::eventually(
      seconds(75), [&] { return !uid(world, names::kWebhookSecret).empty() && add_on.ca_bundle() != old; }));
  const Said restarted =
      documented("kubectl -n rollcall-system rollout restart deployment rollcall-desk rollcall-webhook");
  ASSERT_TRUE(restarted.ok()) << restarted.text;
  for (const char* program : {"desk", "webhook"})
    EXPECT_TRUE(World::eventually(seconds(120), [&] { return add_on.rolled_out(program); })) << program;
  Admissions admissions(world);
  EXPECT_TRUE(World::eventually(seconds(30), [&] { return admissions.refused_by_rule() > 0; }));
  admissions.stop();

  // The probe that waits trusts the old authority alone; its next attempt has the new one.
  const Said pods = documented("kubectl delete pods -l rollcall.dev/job-name=JOB", world.ns(), {{"JOB", "held"}});
  ASSERT_TRUE(pods.ok()) << pods.text;
  world.wait_for("held", "held in the next attempt", seconds(120),
                 [](const Json& job) { return job["status"].value("attempt", 0) == 2 && phase(job) == "Held"; });
  release_and_train(world);
}

}  // namespace
}  // namespace rollcall::e2e
