#include "operator/remove_webhooks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/fake_client.h"

namespace rollcall::operator_ {
namespace {

using testing::HasSubstr;
using testing_world::FakeClient;

constexpr auto kWhere = "validatingwebhookconfigurations//rollcall";

TEST(RemoveWebhooks, TakesTheNamedConfigurationAndNoOther) {
  FakeClient client;
  client.store(kWhere, {{"metadata", {{"name", "rollcall"}, {"uid", "a"}}}});
  client.store("validatingwebhookconfigurations//other", {{"metadata", {{"name", "other"}, {"uid", "b"}}}});
  EXPECT_TRUE(remove_webhooks(client, "rollcall"));
  EXPECT_FALSE(client.objects.contains(kWhere));
  EXPECT_TRUE(client.objects.contains("validatingwebhookconfigurations//other"));
}

TEST(RemoveWebhooks, OneThatIsGoneIsAsGood) {
  FakeClient client;
  EXPECT_TRUE(remove_webhooks(client, "rollcall"));
}

TEST(RemoveWebhooks, ARefusalSaysWhatToDoByHand) {
  FakeClient client;
  client.store(kWhere, {{"metadata", {{"name", "rollcall"}, {"uid", "a"}}}});
  client.refusals[std::string("delete ") + kWhere] = {403, "Forbidden", "may not delete", 0};
  const auto removed = remove_webhooks(client, "rollcall");
  ASSERT_FALSE(removed);
  EXPECT_THAT(removed.error().message, HasSubstr("403 Forbidden: may not delete"));
  EXPECT_THAT(removed.error().message, HasSubstr("kubectl delete validatingwebhookconfiguration rollcall"));
}

}  // namespace
}  // namespace rollcall::operator_
