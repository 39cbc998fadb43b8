// The webhook as a program behind a real API server.
#include "tests/integration/webhook_world.h"

namespace rollcall::webhook_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

TEST_F(Webhook, AFaultyJobIsRefusedWithAllItsFaultsAndASoundOneAdmitted) {
  configure();
  Json faulty = job("faulty", 8, 4);
  faulty["spec"]["worldSize"] = 99;
  const auto refused = try_create(faulty);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().http, 403);
  EXPECT_EQ(refused.error().reason, "Forbidden");
  EXPECT_THAT(refused.error().message, HasSubstr("cannot work, for 2 reasons:\n- spec.nprocPerNode: 8 processes per "
                                                 "node, but the pod requests 4 nvidia.com/gpu. Write 4 or fewer "
                                                 "processes, or request 8 GPUs. [gpu/more-processes-than-gpus]\n- "
                                                 "spec.worldSize: "));
  const auto admitted = try_create(job("sound", 8, 8));
  ASSERT_TRUE(admitted.ok()) << admitted.error().text();
  EXPECT_THAT(admitted.warnings, testing::IsEmpty());
}

TEST_F(Webhook, WhyNothingWasDecidedReachesTheClient) {
  configure();
  Json deep = Json::object();
  for (int i = 0; i < 80; ++i) deep = {{"a", std::move(deep)}};
  Json object = job("deep", 8, 8);
  object["spec"]["template"]["spec"]["containers"][0]["env"] =
      Json::array({{{"name", "A"}, {"deep", std::move(deep)}}});
  const auto reply = try_create(object);
  ASSERT_FALSE(reply.ok());
  EXPECT_THAT(reply.error().message, HasSubstr("the object's values are nested more than 64 deep"));
}

TEST_F(Webhook, WarningsReachTheClient) {
  configure();
  Json object = job("warned", 4, 8);
  for (const char* key : {"nodeselector", "tolerationz", "affinityy", "hostnetwork"})
    object["spec"]["template"]["spec"][key] = Json::object();
  const auto admitted = try_create(object);
  ASSERT_TRUE(admitted.ok()) << admitted.error().text();
  EXPECT_THAT(admitted.warnings, testing::SizeIs(4));
  EXPECT_THAT(admitted.warnings, testing::Contains(HasSubstr("Did you mean `nodeSelector`? [spec/misspelt-field]")));
  EXPECT_THAT(admitted.warnings, testing::Contains("and 2 more: `rollcall lint` shows all"));
}

TEST_F(Webhook, KubectlShowsTheFileAndOneReasonALine) {
  if (output_of("command -v kubectl").empty()) GTEST_SKIP() << "kubectl is not on PATH";
  configure();
  const std::string file = (dir_ / "job.json").string();
  std::ofstream(file) << job("faulty", 8, 4);
  const std::string shown = output_of("kubectl apply --dry-run=server -f " + file + " 2>&1");
  EXPECT_THAT(shown,
              HasSubstr("Error from server (Forbidden): error when creating \"" + file + "\": admission webhook"));
  EXPECT_THAT(shown, HasSubstr("denied the request: TrainingJob " + run_ +
                               "/faulty cannot work:\n- spec.nprocPerNode: 8 processes per node, but the pod requests "
                               "4 nvidia.com/gpu. Write 4 or fewer processes, or request 8 GPUs. "
                               "[gpu/more-processes-than-gpus]\n"));
}

TEST_F(Webhook, AnOldFaultIsNoReasonToRefuseAnUpdateAndANewOneIs) {
  // Stored while a policy let it pass; then the policy goes.
  configure();
  set_policy("Warn");
  ASSERT_TRUE(eventually([this] { return client_->create(kube::kTrainingJobs, run_, job("old", 8, 4)).ok(); }));
  ASSERT_TRUE(client_->remove(kube::kRollcallPolicies, "", run_).ok());
  ASSERT_TRUE(eventually([this] { return !try_create(job("new", 8, 4)).ok(); }));

  const auto labelled = patch("old", {{"metadata", {{"labels", {{"team", "a"}}}}}});
  EXPECT_TRUE(labelled.ok()) << labelled.error().text();
  const auto other = patch("old", {{"spec", {{"nnodes", 3}}}});
  ASSERT_TRUE(other.ok()) << other.error().text();
  EXPECT_THAT(other.warnings, testing::Contains(HasSubstr("[gpu/more-processes-than-gpus]")));
  const auto worse = patch("old", {{"spec", {{"worldSize", 99}}}});
  ASSERT_FALSE(worse.ok());
  EXPECT_THAT(worse.error().message, HasSubstr("[world/size-is-not-the-product]"));
  EXPECT_THAT(worse.error().message, Not(HasSubstr("[gpu/more-processes-than-gpus]")));

  // Being deleted, it may be changed, so that whoever holds a finalizer can end it; and it goes.
  ASSERT_TRUE(patch("old", {{"metadata", {{"finalizers", {"webhook.test/hold"}}}}}).ok());
  ASSERT_TRUE(client_->remove(kube::kTrainingJobs, run_, "old").ok());
  const auto deleting = patch("old", {{"spec", {{"worldSize", 98}}}});
  EXPECT_TRUE(deleting.ok()) << deleting.error().text();
  EXPECT_TRUE(patch("old", {{"metadata", {{"finalizers", nullptr}}}}).ok());
  EXPECT_TRUE(eventually([this] { return client_->get(kube::kTrainingJobs, run_, "old").error().not_found(); }));
}

TEST_F(Webhook, APolicyCountsAsSoonAsTheWatchHasIt) {
  configure();
  set_policy("Warn");
  kube::Reply admitted = kube::ApiError{};
  EXPECT_TRUE(eventually([&] {
    admitted = try_create(job("faulty", 8, 4));
    return admitted.ok();
  })) << admitted.error().text();
  EXPECT_THAT(admitted.warnings, testing::Contains(HasSubstr("warn instead of deny by RollcallPolicy " + run_)));
}

TEST_F(Webhook, AJobAppliedInTheSameBreathAsItsNamespaceIsJudgedByItsLabels) {
  configure();
  set_policy("Warn");
  ASSERT_TRUE(eventually([this] { return try_create(job("faulty", 8, 4)).ok(); }));
  for (int i = 0; i < 5; ++i) {
    const std::string ns = run_ + "-" + std::to_string(i);
    make_namespace(ns);
    Json object = job("faulty", 8, 4);
    object["metadata"]["namespace"] = ns;
    const auto admitted = try_create(object);
    EXPECT_TRUE(admitted.ok()) << admitted.error().text();
  }
}

TEST_F(Webhook, WhenItCannotAnswerFailurePolicyDecides) {
  configure("Fail", "/other");
  EXPECT_TRUE(eventually([this] {
    const auto asked = try_create(job("sound", 8, 8));
    return !asked.ok() && asked.error().message.find("failed calling webhook") != std::string::npos;
  }));
  ASSERT_TRUE(client_->remove(kube::kWebhookConfigurations, "", run_).ok());
  ASSERT_TRUE(eventually([this] { return try_create(job("sound", 8, 8)).ok(); }));
  configure("Ignore", "/other");
  // Asked, and not answered with a review: admitted all the same.
  ASSERT_TRUE(eventually([this] {
    EXPECT_TRUE(try_create(job("sound", 8, 8)).ok());
    return Program::get(program_->metrics_port, "/metrics")
               .find("controller_runtime_webhook_requests_total{code=\"404\",webhook=\"/validate\"} ") !=
           std::string::npos;
  }));
}

TEST_F(Webhook, EndsInGoodOrderAndFailsClosedAfterIt) {
  configure();
  EXPECT_EQ(program_->end(), 0) << program_->log();
  EXPECT_THAT(program_->log(), HasSubstr("\"msg\":\"ended\""));
  const auto refused = try_create(job("sound", 8, 8));
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("failed calling webhook"));
}

}  // namespace
}  // namespace rollcall::webhook_test
