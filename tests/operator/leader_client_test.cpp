#include "operator/leader_client.h"

#include <gmock/gmock.h>

#include "operator/world.h"

namespace rollcall::operator_ {
namespace {

using kube::Json;
using testing_world::FakeClient;

TEST(LeaderClient, WritesOfWhoDoesNotLeadAreNotSent) {
  FakeClient client;
  client.store("pods/ml/a", Json::parse(R"({"metadata": {"name": "a", "uid": "u"}})"));
  bool leading = false;
  LeaderClient acting(client, [&] { return leading; });
  const auto pod = client.objects.at("pods/ml/a");
  const auto refused = [](const kube::Reply& reply) { return !reply && reply.error().reason == "NotLeading"; };
  EXPECT_TRUE(refused(acting.create(kube::kPods, "ml", Json::parse(R"({"metadata": {"name": "b"}})"), {})));
  EXPECT_TRUE(refused(acting.replace(kube::kPods, "ml", "a", pod, {})));
  EXPECT_TRUE(refused(acting.replace_status(kube::kPods, "ml", "a", pod)));
  EXPECT_TRUE(refused(acting.merge_patch(kube::kPods, "ml", "a", pod, {})));
  EXPECT_TRUE(refused(acting.remove(kube::kPods, "ml", "a", {})));
  EXPECT_THAT(client.writes, testing::IsEmpty());
  EXPECT_TRUE(acting.get(kube::kPods, "ml", "a").ok()) << "a standby reads";
  leading = true;
  EXPECT_TRUE(acting.remove(kube::kPods, "ml", "a", {.uid = "u"}).ok());
}

}  // namespace
}  // namespace rollcall::operator_
