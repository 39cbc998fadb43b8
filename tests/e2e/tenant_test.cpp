// What somebody with rights in one namespace can do to another's jobs by Rollcall: nothing. Claims of docs/security.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "api/names.h"
#include "e2e/add_on.h"
#include "e2e/person.h"
#include "kube/base64.h"

namespace rollcall::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

namespace names = api::names;

/// A victim with a held job in one namespace and a tenant who may edit another, with a held job of the same name.
class Tenant : public testing::Test {
 protected:
  void SetUp() override {
    victims_ = World::make();
    if (!victims_) GTEST_SKIP() << "no cluster: KUBECONFIG is not set (dev/test starts one)";
    own_ = World::make();
    hold_victims_ = std::make_unique<NamespacePolicy>(*victims_, "hold", kHoldsEveryJob);
    hold_own_ = std::make_unique<NamespacePolicy>(*own_, "hold", kHoldsEveryJob);
    tenant_ = std::make_unique<Person>(*own_, "tenant", "edit");
    for (World* world : {victims_.get(), own_.get()}) world->start(training_job("llama", {.nnodes = 1, .args = {}}));
    for (World* world : {victims_.get(), own_.get()}) world->wait_for_phase("llama", "Held", seconds(90));
    before_ = verdict_and_roster();
  }
  void TearDown() override {
    if (!victims_) return;
    EXPECT_EQ(phase(victims().job("llama")), "Held") << "whatever the tenant did";
    EXPECT_EQ(verdict_and_roster(), before_);
    EXPECT_FALSE(victims().job("llama")["metadata"].contains("annotations")) << "nobody's annotation came in";
  }

  World& victims() { return *victims_; }
  World& own() { return *own_; }
  Person& tenant() { return *tenant_; }
  Json verdict_and_roster() {
    const Json call = victims().roll_call("llama");
    return {{"verdict", call["status"].value("verdict", Json())},
            {"roster", call["spec"]["roster"]},
            {"attempt", victims().job("llama")["status"].value("attempt", 0)}};
  }
  static void expect_forbidden(const kube::Reply& reply, const std::string& what) {
    ASSERT_FALSE(reply.ok()) << what;
    EXPECT_EQ(reply.error().http, 403) << what << ": " << reply.error().text();
  }

 private:
  std::unique_ptr<World> victims_, own_;
  std::unique_ptr<NamespacePolicy> hold_victims_, hold_own_;
  std::unique_ptr<Person> tenant_;
  Json before_;
};

TEST_F(Tenant, ReadsNoJobAndNoReportOfAnother) {
  const std::string ns = victims().ns();
  for (const auto& resource : {kube::kTrainingJobs, kube::kRollCalls}) {
    expect_forbidden(tenant().api().list(resource, ns), resource.plural);
    expect_forbidden(tenant().api().list(resource, ""), "all " + resource.plural);
    EXPECT_TRUE(tenant().api().list(resource, own().ns()).ok()) << "its own are its own";
  }
  expect_forbidden(tenant().api().get(kube::kTrainingJobs, ns, "llama"), "job");
  expect_forbidden(tenant().api().get(kube::kRollCalls, ns, "tj-llama-1"), "report");
  expect_forbidden(tenant().api().list(kube::kRollcallPolicies, ""), "policies are the cluster's");
  expect_forbidden(tenant().api().list(kube::kSecrets, kAddOnNamespace), "our Secrets");
}

TEST_F(Tenant, NeitherHoldsNorReleasesNorEndsAnothersJob) {
  const std::string ns = victims().ns();
  auto& api = tenant().api();
  const Json release = {{"metadata", {{"annotations", {{names::kAnnotationRelease, "mine now"}}}}}};
  expect_forbidden(api.merge_patch(kube::kTrainingJobs, ns, "llama", release), "release");
  const Json override_call = {{"metadata", {{"annotations", {{names::kAnnotationOverride, "mine now"}}}}}};
  expect_forbidden(api.merge_patch(kube::kRollCalls, ns, "tj-llama-1", override_call), "override");
  expect_forbidden(api.merge_patch(kube::kTrainingJobs, ns, "llama", {{"spec", {{"suspend", true}}}}), "suspend");
  expect_forbidden(api.remove(kube::kTrainingJobs, ns, "llama"), "deletion");
  const Json released = {{"status", {{"verdict", {{"kind", "Released"}}}}}};
  expect_forbidden(api.merge_patch(kube::kRollCalls, ns, "tj-llama-1", released, "status"), "verdict");
  const std::string pod = victims().pods("llama").at(0)["metadata"]["name"];
  const Json stamp = {{"metadata", {{"annotations", {{names::kAnnotationReleased, "1"}}}}}};
  expect_forbidden(api.merge_patch(kube::kPods, ns, pod, stamp), "stamp of a release");
  expect_forbidden(api.remove(kube::kPods, ns, pod), "pod");
  // The same name in its own namespace is another job.
  ASSERT_TRUE(api.merge_patch(kube::kTrainingJobs, own().ns(), "llama", release).ok());
  own().wait_for_phase("llama", "Succeeded", seconds(60));
}

TEST_F(Tenant, WritesNoRollCallNoVerdictAndNoPolicyNotEvenForItsOwnJob) {
  auto& api = tenant().api();
  const std::string ns = own().ns();
  Json call = own().roll_call("llama");
  const Json victim = victims().pods("llama").at(0)["metadata"];
  // A roster that names another's pod, under a job of the tenant's.
  Json forged = {{"apiVersion", call["apiVersion"]},
                 {"kind", call["kind"]},
                 {"metadata", {{"name", "tj-forged-1"}, {"namespace", ns}}},
                 {"spec", call["spec"]}};
  forged["spec"]["roster"][0]["uid"] = victim["uid"];
  expect_forbidden(api.create(kube::kRollCalls, ns, forged), "forged roster");
  expect_forbidden(api.merge_patch(kube::kRollCalls, ns, "tj-llama-1", {{"spec", {{"attempt", 7}}}}), "spec");
  expect_forbidden(api.merge_patch(kube::kRollCalls, ns, "tj-llama-1", {{"status", {{"stage", "Released"}}}}, "status"),
                   "status");
  expect_forbidden(api.remove(kube::kRollCalls, ns, "tj-llama-1"), "record");
  expect_forbidden(api.merge_patch(kube::kTrainingJobs, ns, "llama", {{"status", {{"phase", "Succeeded"}}}}, "status"),
                   "status of the job");
  const Json policy = {{"apiVersion", names::kApiVersion},
                       {"kind", "RollcallPolicy"},
                       {"metadata", {{"name", "0-" + ns}}},
                       {"spec", {{"mode", "Observe"}}}};
  expect_forbidden(api.create(kube::kRollcallPolicies, "", policy), "policy");
}

TEST_F(Tenant, ItsPodsTokenAnswersForItsOwnPodAlone) {
  AddOn add_on(victims());
  const auto ca = kube::base64_decode(add_on.ca_bundle());
  ASSERT_TRUE(ca);
  const auto service = victims().api().get(kube::kServices, kAddOnNamespace, names::kDeskService);
  ASSERT_TRUE(service.ok());
  const std::string address = service.value()["spec"]["clusterIP"];
  const ManifestFile ca_file(*ca);
  // Posts from the network of node 1, as a pod there does. Returns "CODE BODY".
  const auto post = [&](const std::string& token, const Json& answer) {
    const ManifestFile header("Authorization: Bearer " + token + "\n");
    const ManifestFile body(answer.dump());
    const std::string host = std::string(names::kDeskService) + "." + kAddOnNamespace + ".svc";
    return cluster({"node",
                    "1",
                    "curl",
                    "-sS",
                    "--noproxy",
                    "*",
                    "--max-time",
                    "25",
                    "--cacert",
                    ca_file.path(),
                    "--resolve",
                    host + ":443:" + address,
                    "-H",
                    "@" + header.path(),
                    "-H",
                    "Content-Type: application/json",
                    "--data",
                    "@" + body.path(),
                    "-w",
                    " %{http_code}",
                    "https://" + host + "/v1/answer"});
  };
  const auto answer_of = [](const Json& pod) {
    return Json{{"podUid", pod["metadata"]["uid"]}, {"bootNonce", std::string(32, 'a')}, {"sequence", 1}};
  };
  const Json victim = victims().pods("llama").at(0);
  const Json mine = own().pods("llama").at(0);

  const std::string as_victim = post(pod_token(own(), mine["metadata"]["name"]), answer_of(victim));
  EXPECT_THAT(as_victim, HasSubstr(" 403")) << "a pod in a roster of its own speaks for no other";
  EXPECT_THAT(as_victim, Not(HasSubstr(victim["status"].value("podIP", "?"))));

  // A pod of the tenant's that looks like the victim's in every way that a tenant can write.
  Json stranger = {
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata",
       {{"name", victim["metadata"]["name"]}, {"namespace", own().ns()}, {"labels", victim["metadata"]["labels"]}}},
      {"spec",
       {{"restartPolicy", "Never"},
        {"terminationGracePeriodSeconds", 1},
        {"containers", Json::array({{{"name", "trainer"},
                                     {"image", "rollcall/e2e-trainer:dev"},
                                     {"imagePullPolicy", "IfNotPresent"},
                                     {"args", {"--seconds", "120"}}}})}}}};
  stranger["metadata"]["name"] = "llama-0-9";
  const auto made = tenant().api().create(kube::kPods, own().ns(), stranger);
  ASSERT_TRUE(made.ok()) << made.error().text();
  const std::string token = pod_token(own(), "llama-0-9");
  // It may be told to wait, since its roster might be on its way (for 30 s: desk/token/judge.h), and nothing else.
  for (const Json& answer : {answer_of(made.value()), answer_of(victim)}) {
    const std::string said = post(token, answer);
    EXPECT_THAT(said, testing::AnyOf(HasSubstr(" 403"), HasSubstr("\"step\":\"Wait\""))) << said;
    EXPECT_THAT(said, Not(HasSubstr(victim["status"].value("podIP", "?"))));
    EXPECT_THAT(said, Not(HasSubstr(victims().ns())));
  }
}

}  // namespace
}  // namespace rollcall::e2e
