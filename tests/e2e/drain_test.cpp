// Nodes are drained, as for an upgrade of the cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "e2e/add_on.h"

namespace rollcall::e2e {
namespace {

using testing::HasSubstr;

/// The node takes pods again when this ends.
class Drained {
 public:
  explicit Drained(std::string node) : node_(std::move(node)) {}
  ~Drained() {
    const Said said = kubectl({"uncordon", node_});
    EXPECT_TRUE(said.ok()) << said.text;
  }
  Drained(const Drained&) = delete;
  Drained& operator=(const Drained&) = delete;
  Said drain() const {
    return kubectl({"drain", node_, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=150s"}, seconds(170));
  }

 private:
  std::string node_;
};

TEST(Drain, AHeldJobGoesToTheNextAttemptAndEachProgramStaysAvailable) {
  ROLLCALL_WORLD(world);
  AddOn add_on(world);
  const NamespacePolicy policy(world, "hold", kHoldsEveryJob);
  world.start(training_job("held", {.nnodes = 2, .args = {}}));
  world.wait_for_phase("held", "Held", seconds(90));
  const std::string node = world.pods("held").at(1)["spec"]["nodeName"];
  const Drained drained(node);
  auto drain = std::async(std::launch::async, [&] { return drained.drain(); });
  const auto done = [&] { return drain.wait_for(seconds(0)) == std::future_status::ready; };
  int looks = 0;
  EXPECT_TRUE(World::eventually(seconds(180), [&] {
    ++looks;
    for (const char* program : kPrograms)
      EXPECT_GE(add_on.deployment(program)["status"].value("readyReplicas", 0), 1) << program;
    return done();
  }));
  const Said said = drain.get();
  ASSERT_TRUE(said.ok()) << said.text;
  EXPECT_THAT(said.text, HasSubstr(world.ns() + "/held-1-1"));
  EXPECT_GT(looks, 3);

  const Json again = world.wait_for("held", "held in the next attempt", seconds(120), [](const Json& job) {
    return job["status"].value("attempt", 0) == 2 && phase(job) == "Held";
  });
  EXPECT_EQ(world.roll_call("held", 1)["status"]["verdict"].value("kind", ""), "Ended");
  for (const Json& pod : world.pods("held")) EXPECT_NE(pod["spec"].value("nodeName", ""), node);
  world.annotate("held", "rollcall.dev/release", "the test is over");
  world.wait_for_phase("held", "Succeeded", seconds(60));
}

Said evict(const std::string& pod) {
  const ManifestFile eviction(Json{
      {"apiVersion", "policy/v1"}, {"kind", "Eviction"}, {"metadata", {{"name", pod}, {"namespace", kAddOnNamespace}}}}
                                  .dump());
  return kubectl({"create", "--raw",
                  std::string("/api/v1/namespaces/") + kAddOnNamespace + "/pods/" + pod + "/eviction", "-f",
                  eviction.path()});
}

TEST(Drain, OfTwoPodsOfAProgramOneIsEvictedAndTheOtherOnlyOnceThereIsANewOne) {
  ROLLCALL_WORLD(world);
  AddOn add_on(world);
  for (const char* program : kPrograms) {
    ASSERT_TRUE(World::eventually(seconds(60), [&] { return add_on.rolled_out(program); })) << program;
    const auto pods = add_on.pods(program);
    ASSERT_EQ(pods.size(), 2U) << program;
    const Said first = evict(pods[0]["metadata"]["name"]);
    EXPECT_TRUE(first.ok()) << first.text;
    const Said second = evict(pods[1]["metadata"]["name"]);
    EXPECT_FALSE(second.ok()) << program;
    EXPECT_THAT(second.text, HasSubstr("disruption budget"));
  }
  for (const char* program : kPrograms)
    EXPECT_TRUE(World::eventually(seconds(120), [&] { return add_on.rolled_out(program); })) << program;
}

}  // namespace
}  // namespace rollcall::e2e
