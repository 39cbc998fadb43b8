// From a cluster that has never seen Rollcall to a job that trains, by the chart alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "e2e/add_on.h"

namespace rollcall::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Jobs that the deletion of the CRDs would delete; those of ended tests are given time to go.
std::string jobs_of_others(World& world) {
  std::string names;
  World::eventually(seconds(20), [&] {
    names.clear();
    const auto listed = world.api().list(kube::kTrainingJobs, "");
    if (!listed) return listed.error().not_found();
    for (const Json& job : listed.value()["items"])
      names += " " + job["metadata"].value("namespace", "") + "/" + job["metadata"].value("name", "");
    return names.empty();
  });
  return names;
}

TEST(Install, FromNothingAFaultyJobIsRefusedWithPathAndFixAndAGoodOneTrains) {
  ROLLCALL_WORLD(world);
  AddOn add_on(world);
  cluster({"uninstall"});
  if (const auto others = jobs_of_others(world); others.empty()) {
    const Said gone =
        documented("kubectl delete crd trainingjobs.rollcall.dev rollcalls.rollcall.dev rollcallpolicies.rollcall.dev");
    ASSERT_TRUE(gone.ok()) << gone.text;
  } else {
    std::printf("the CRDs stay, somebody's jobs need them:%s\n", others.c_str());
  }
  ASSERT_TRUE(add_on.webhook_configuration().empty());

  add_on.install();
  EXPECT_THAT(helm({"status", "rollcall", "--namespace", kAddOnNamespace}).text, HasSubstr("STATUS: deployed"));
  EXPECT_THAT(helm({"get", "notes", "rollcall", "--namespace", kAddOnNamespace}).text,
              AllOf(HasSubstr(kFaultyRule), HasSubstr("kubectl -n default create --dry-run=server")))
      << "what to verify it by";
  for (const char* program : kPrograms) EXPECT_TRUE(add_on.rolled_out(program)) << program;

  // As a person meets it.
  const Said refused =
      kubectl({"-n", world.ns(), "create", "-f", "examples/jobs/refused/more-processes-than-gpus.yaml"});
  EXPECT_FALSE(refused.ok());
  EXPECT_THAT(refused.text, AllOf(HasSubstr(kFaultyRule), HasSubstr("spec.nprocPerNode"), HasSubstr("8 processes"),
                                  HasSubstr("4 or fewer processes, or request 8 GPUs")));
  Json job = faulty_job("faulty");
  job["metadata"]["namespace"] = world.ns();
  const auto reply = world.api().create(kube::kTrainingJobs, world.ns(), job);
  ASSERT_FALSE(reply.ok());
  EXPECT_THAT(reply.error().text(), AllOf(HasSubstr(kFaultyRule), HasSubstr("spec.nprocPerNode")));
  EXPECT_TRUE(world.job("faulty").empty());

  world.start(training_job("good"));
  world.wait_for_phase("good", "Succeeded", seconds(120));
}

TEST(Install, TheCommandThatVerifiesItRefusesAndMakesNothing) {
  ROLLCALL_WORLD(world);
  AddOn add_on(world);
  ASSERT_FALSE(add_on.ca_bundle().empty());
  const Said said =
      documented("kubectl -n default create --dry-run=server -f examples/jobs/refused/more-processes-than-gpus.yaml");
  EXPECT_FALSE(said.ok());
  EXPECT_THAT(said.text, HasSubstr("gpu/more-processes-than-gpus"));
  EXPECT_TRUE(kubectl({"-n", "default", "get", "tj", "more-processes-than-gpus", "--ignore-not-found"}).text.empty());
}

}  // namespace
}  // namespace rollcall::e2e
