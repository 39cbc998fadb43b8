// Two desks, of which one leads: the leader dies or stands still in the middle of a roll call, and the other gives the
// job its verdict. What is stopped and woken does nothing more and ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/names.h"
#include "e2e/world.h"

namespace rollcall::e2e {
namespace {

namespace names = api::names;
constexpr auto kNamespace = "rollcall-system";

/// The pod that holds the desk's lease, or "".
std::string leading_desk(World& world) {
  const auto lease = world.api().get(kube::kLeases, kNamespace, names::kDeskLease);
  if (!lease) return "";
  const std::string holder = lease.value()["spec"].value("holderIdentity", "");
  return holder.substr(0, holder.rfind('_'));
}

std::int64_t transitions(World& world) {
  const auto lease = world.api().get(kube::kLeases, kNamespace, names::kDeskLease);
  return lease ? lease.value()["spec"].value("leaseTransitions", std::int64_t{-1}) : -1;
}

/// Where the Service leads.
std::string endpoint(World& world) {
  const auto slice = world.api().get(kube::kEndpointSlices, kNamespace, names::kDeskEndpoints);
  if (!slice || slice.value()["endpoints"].empty()) return "";
  return slice.value()["endpoints"][0]["targetRef"].value("name", "");
}

std::vector<Json> desks(World& world) {
  auto pods = world.api().list(kube::kPods, kNamespace, {{"labelSelector", "app.kubernetes.io/component=desk"}});
  return pods ? pods.value()["items"].get<std::vector<Json>>() : std::vector<Json>();
}

bool ready(const Json& pod) {
  for (const Json& condition : pod["status"].value("conditions", Json::array()))
    if (condition["type"] == "Ready") return condition["status"] == "True";
  return false;
}

int restarts(World& world, const std::string& pod) {
  for (const Json& one : desks(world))
    if (one["metadata"]["name"] == pod && one["status"].contains("containerStatuses"))
      return one["status"]["containerStatuses"][0].value("restartCount", -1);
  return -1;
}

/// Two desks that could lead, one that does, and the Service leads to it.
bool two_desks_stand(World& world) {
  return World::eventually(seconds(90), [&] {
    const auto all = desks(world);
    return std::count_if(all.begin(), all.end(), ready) >= 2 && !leading_desk(world).empty() &&
           endpoint(world) == leading_desk(world);
  });
}

/// Every desk goes on when this ends, whatever became of the test.
struct Woken {
  ~Woken() { cluster({"kill", "--signal", "CONT", "desk"}); }
};

TEST(Failover, ALeaderThatStandsStillIsReplacedTheJobReleasedAndTheWokenOneEnds) {
  ROLLCALL_WORLD(world);
  ASSERT_TRUE(two_desks_stand(world)) << "two desks are needed: helm value desk.replicas";
  NodeRule wall = wall_between_nodes(2, 3);
  world.start(training_job("stopped"));
  world.wait_for_phase("stopped", "Held", seconds(90));
  const auto pods = world.pods("stopped");
  const std::string old = leading_desk(world);
  const auto term = transitions(world);
  const int ended_before = restarts(world, old);
  {
    const Woken woken;
    cluster({"kill", "--signal", "STOP", "--leader", "desk"});
    wall.remove();
    // 15 s of the lease, 4 s to the next look, and the slice.
    EXPECT_TRUE(World::eventually(seconds(40), [&] { return leading_desk(world) != old && endpoint(world) != old; }))
        << leading_desk(world) << " leads, the Service leads to " << endpoint(world);
    EXPECT_GT(transitions(world), term);
    world.wait_for("stopped", "released while its first desk stands still", seconds(120),
                   [&](const Json&) { return world.roll_call("stopped")["status"].contains("verdict"); });
  }
  const Json call = world.roll_call("stopped");
  EXPECT_EQ(call["status"]["verdict"]["kind"], "Released");
  EXPECT_EQ(call["status"].value("round", "").rfind(std::to_string(transitions(world)) + ".", 0), 0U)
      << "rounds of the new leader have its term: " << call["status"].value("round", "");
  EXPECT_TRUE(World::eventually(seconds(30), [&] { return restarts(world, old) > ended_before; }))
      << old << " was woken and did not end";
  EXPECT_NE(endpoint(world), old);
  world.wait_for_phase("stopped", "Succeeded", seconds(120));
  const auto after = world.pods("stopped");
  ASSERT_EQ(pods.size(), after.size());
  for (std::size_t i = 0; i < after.size(); ++i)
    EXPECT_EQ(pods[i]["metadata"]["uid"], after[i]["metadata"]["uid"]) << "the same pods train";
}

TEST(Failover, AKilledLeadersRollCallIsFinishedByTheOther) {
  ROLLCALL_WORLD(world);
  ASSERT_TRUE(two_desks_stand(world));
  NodeRule wall = wall_between_nodes(2, 3);
  world.start(training_job("killed-leader"));
  world.wait_for_phase("killed-leader", "Held", seconds(90));
  cluster({"kill", "--leader", "desk"});
  wall.remove();
  world.wait_for_phase("killed-leader", "Succeeded", seconds(180));
}

TEST(Failover, ALeaderThatIsDeletedHandsOverWithinSeconds) {
  ROLLCALL_WORLD(world);
  ASSERT_TRUE(two_desks_stand(world));
  const std::string old = leading_desk(world);
  ASSERT_TRUE(world.api().remove(kube::kPods, kNamespace, old).ok());
  // It lets go of the lease: nobody waits for its 15 s to pass.
  EXPECT_TRUE(World::eventually(seconds(12),
                                [&] {
                                  const auto now = leading_desk(world);
                                  return !now.empty() && now != old && endpoint(world) == now;
                                }))
      << leading_desk(world) << " leads, the Service leads to " << endpoint(world);
}

TEST(Failover, AnEndpointThatSomeoneChangesOrDeletesIsSetRight) {
  ROLLCALL_WORLD(world);
  ASSERT_TRUE(two_desks_stand(world));
  const auto right = [&] { return endpoint(world) == leading_desk(world); };
  auto slice = world.api().get(kube::kEndpointSlices, kNamespace, names::kDeskEndpoints);
  ASSERT_TRUE(slice.ok());
  Json wrong = slice.value();
  wrong["endpoints"] = Json::array();
  ASSERT_TRUE(world.api().replace(kube::kEndpointSlices, kNamespace, names::kDeskEndpoints, wrong).ok());
  EXPECT_TRUE(World::eventually(seconds(10), right));
  ASSERT_TRUE(world.api().remove(kube::kEndpointSlices, kNamespace, names::kDeskEndpoints).ok());
  EXPECT_TRUE(World::eventually(seconds(10), right));
}

}  // namespace
}  // namespace rollcall::e2e
