// Every way out in docs/operations.md, as it is written there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "e2e/add_on.h"

namespace rollcall::e2e {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto kObserve =
    R"(kubectl apply -f - <<<'{"apiVersion":"rollcall.dev/v1alpha1","kind":"RollcallPolicy","metadata":{"name":"0-observe"},"spec":{"mode":"Observe"}}')";
constexpr auto kNoPolicy = "kubectl delete rollcallpolicy 0-observe";
constexpr auto kBackIn = "helm upgrade rollcall charts/rollcall -n rollcall-system --reuse-values --force-conflicts";

/// The policy of the page goes with the test.
struct ClusterPolicy {
  ClusterPolicy() = default;
  ~ClusterPolicy() { kubectl({"delete", "rollcallpolicy", "0-observe", "--ignore-not-found"}); }
  ClusterPolicy(const ClusterPolicy&) = delete;
  ClusterPolicy& operator=(const ClusterPolicy&) = delete;
};

kube::Reply try_it(World& world, Json job) {
  job["metadata"]["namespace"] = world.ns();
  return world.api().create(kube::kTrainingJobs, world.ns(), job, {.dry_run = true});
}

bool refused_by_rule(World& world) {
  const auto reply = try_it(world, faulty_job("asked"));
  return !reply.ok() && reply.error().text().find(kFaultyRule) != std::string::npos;
}

JobOptions small(std::vector<std::string> args = {}) { return {.nnodes = 1, .args = std::move(args)}; }

TEST(WaysOut, WithoutAWebhookNothingButTrainingJobsIsKeptFromWorkAndTwoCommandsLetThoseIn) {
  ROLLCALL_WORLD(world);
  world.start(training_job("trains", small({"--seconds", "15"})));
  world.start(training_job("waits", {.nnodes = 1, .spec = {{"suspend", true}}}));
  world.wait_for_phase("waits", "Suspended", seconds(30));
  world.wait_for_phase("trains", "Running", seconds(90));
  AddOn add_on(world);
  add_on.scale("webhook", 0);
  const auto failed = [&] {
    const auto reply = try_it(world, training_job("good", small()));
    return !reply.ok() && reply.error().text().find("failed calling webhook") != std::string::npos;
  };
  ASSERT_TRUE(World::eventually(seconds(60), failed));
  EXPECT_THAT(try_it(world, training_job("good", small())).error().text(), HasSubstr("trainingjobs.rollcall.dev"))
      << "the words name who to look for";

  // Everything else works: metadata of jobs, their end, their deletion; pods, other kinds, namespaces.
  world.annotate("waits", "rollcall.dev/release", "while no webhook answers");
  EXPECT_TRUE(world.api().remove(kube::kTrainingJobs, world.ns(), "waits").ok());
  EXPECT_TRUE(World::eventually(seconds(10), [&] { return world.job("waits").empty(); }));
  world.wait_for_phase("trains", "Succeeded", seconds(60));
  const std::string other = world.ns() + "-other";
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"create", "namespace", other},
           {"-n", other, "create", "configmap", "any", "--from-literal=a=b"},
           {"-n", other, "create", "job", "any", "--image=rollcall/e2e-trainer:dev"},
           {"-n", other, "create", "deployment", "any", "--image=rollcall/e2e-trainer:dev", "--replicas=0"},
           {"delete", "namespace", other, "--timeout=60s"}}) {
    const Said said = kubectl(words, seconds(90));
    EXPECT_TRUE(said.ok()) << said.text;
  }

  // Kept, but not in the way: unread jobs are the operator's to refuse.
  const Said ignore = documented(
      R"(kubectl patch validatingwebhookconfiguration rollcall --type=json -p '[{"op":"replace","path":"/webhooks/0/failurePolicy","value":"Ignore"}]')");
  ASSERT_TRUE(ignore.ok()) << ignore.text;
  ASSERT_TRUE(World::eventually(seconds(10), [&] { return try_it(world, faulty_job("unread")).ok(); }));
  world.start(faulty_job("unread"));
  world.wait_for_phase("unread", "Failed", seconds(30));
  EXPECT_EQ(condition_reason(world.job("unread"), "Failed"), "RefusedByRules");

  const Said gone = documented("kubectl delete validatingwebhookconfiguration rollcall");
  ASSERT_TRUE(gone.ok()) << gone.text;
  world.start(training_job("good", small()));
  world.wait_for_phase("good", "Succeeded", seconds(60));

  // Back in: what is missing is made anew, what was scaled or patched is taken back.
  const Said back = documented(kBackIn);
  ASSERT_TRUE(back.ok()) << back.text;
  EXPECT_TRUE(World::eventually(seconds(90), [&] { return refused_by_rule(world); }));
  EXPECT_EQ(add_on.webhook_configuration()["webhooks"][0].value("failurePolicy", ""), "Fail");
  EXPECT_TRUE(World::eventually(seconds(60), [&] { return add_on.rolled_out("webhook"); }));
}

TEST(WaysOut, AHeldJobTrainsByAnAnnotationAndAllOfThemByOnePolicy) {
  ROLLCALL_WORLD(world);
  const ClusterPolicy afterwards;
  const NamespacePolicy hold(world, "hold", kHoldsEveryJob);
  for (const char* job : {"one", "other", "third"}) world.start(training_job(job, small()));
  for (const char* job : {"one", "other", "third"}) world.wait_for_phase(job, "Held", seconds(90));
  const Said one = documented("kubectl annotate tj JOB rollcall.dev/release='why'", world.ns(), {{"JOB", "one"}});
  EXPECT_TRUE(one.ok()) << one.text;
  world.wait_for_phase("one", "Succeeded", seconds(60));
  EXPECT_EQ(phase(world.job("other")), "Held");

  const Said all = documented(kObserve);
  ASSERT_TRUE(all.ok()) << all.text;
  for (const char* job : {"other", "third"}) world.wait_for_phase(job, "Succeeded", seconds(60));

  const Said off = documented(kObserve, {}, {{R"("mode":"Observe")", R"("mode":"Off")"}});
  ASSERT_TRUE(off.ok()) << off.text;
  world.start(training_job("uncalled", small()));
  world.wait_for_phase("uncalled", "Succeeded", seconds(60));
  EXPECT_THAT(world.roll_call("uncalled")["status"].value("findings", Json::array()), IsEmpty());
  const Said gone = documented(kNoPolicy);
  EXPECT_TRUE(gone.ok()) << gone.text;
}

TEST(WaysOut, ARuleThatIsWrongForSomebodyIsSwitchedOff) {
  ROLLCALL_WORLD(world);
  const ClusterPolicy afterwards;
  const Json job = training_job("few", {.nnodes = 1,
                                        .args = {},
                                        .spec = {{"nprocPerNode", 2}},
                                        .trainer = {{"resources", {{"limits", {{"nvidia.com/gpu", 4}}}}}}});
  const auto warned = [&] {
    const auto reply = try_it(world, job);
    EXPECT_TRUE(reply.ok()) << reply.error().text();
    return std::any_of(reply.warnings.begin(), reply.warnings.end(), [](const std::string& text) {
      return text.find("gpu/fewer-processes-than-gpus") != std::string::npos;
    });
  };
  ASSERT_TRUE(warned());
  const std::string off = R"("spec":{"severities":[{"rule":"gpu/fewer-processes-than-gpus","severity":"Off"}]})";
  ASSERT_TRUE(in_operations_page(off));
  const Said said = documented(kObserve, {}, {{R"("spec":{"mode":"Observe"})", off}});
  ASSERT_TRUE(said.ok()) << said.text;
  EXPECT_TRUE(World::eventually(seconds(20), [&] { return !warned(); }));
}

TEST(WaysOut, EnforcementWarnRefusesNothingAndSaysTheSame) {
  ROLLCALL_WORLD(world);
  AddOn add_on(world);
  const Said said =
      documented("helm upgrade rollcall charts/rollcall -n rollcall-system --reuse-values --set enforcement=warn");
  ASSERT_TRUE(said.ok()) << said.text;
  ASSERT_TRUE(World::eventually(seconds(90), [&] { return add_on.rolled_out("webhook"); }));
  // Pods of before answer for some seconds more.
  std::vector<std::string> warnings;
  EXPECT_TRUE(World::eventually(seconds(30), [&] {
    const auto reply = try_it(world, faulty_job("faulty"));
    warnings = reply.warnings;
    return reply.ok();
  }));
  EXPECT_THAT(warnings, Contains(HasSubstr(kFaultyRule)));
}

TEST(WaysOut, WithoutAnOperatorRunningJobsGoOnAndAReleasedOneStarts) {
  ROLLCALL_WORLD(world);
  world.start(training_job("trains", small({"--seconds", "20"})));
  world.wait_for_phase("trains", "Running", seconds(90));
  NodeRule wall = wall_between_nodes(2, 3);
  world.start(training_job("held"));
  world.wait_for_phase("held", "Held", seconds(90));
  AddOn add_on(world);
  const Said off = documented("kubectl -n rollcall-system scale deployment rollcall-operator --replicas=0");
  ASSERT_TRUE(off.ok()) << off.text;
  ASSERT_TRUE(World::eventually(seconds(60), [&] { return add_on.pods("operator").empty(); }));
  wall.remove();
  EXPECT_TRUE(World::eventually(seconds(90), [&] { return all_pods(world, "trains", "Succeeded"); }));
  EXPECT_TRUE(World::eventually(seconds(120), [&] { return all_pods(world, "held", "Succeeded"); }))
      << "released by the desk alone";
  EXPECT_EQ(phase(world.job("trains")), "Running") << "nobody writes it down meanwhile";
  EXPECT_TRUE(refused_by_rule(world)) << "admission does not need an operator";

  const Said back = documented(kBackIn);
  ASSERT_TRUE(back.ok()) << back.text;
  for (const char* job : {"trains", "held"}) {
    const Json seen = world.wait_for_phase(job, "Succeeded", seconds(90));
    EXPECT_EQ(seen["status"].value("attempt", 0), 1) << job;
  }
}

}  // namespace
}  // namespace rollcall::e2e
